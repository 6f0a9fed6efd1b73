/** What keeps the browser and the editor from calling out, and from getting in the way of a test. */

export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "files.autoSave": "off",
  "remote.autoForwardPorts": false,
  "editor.minimap.enabled": false,
  "editor.scrollBeyondLastLine": false,
  "editor.fontSize": 15,
  "editor.wordBasedSuggestions": "off",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": false,
};
