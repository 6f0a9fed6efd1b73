// Packs retouch-VERSION.vsix from what build.mjs made. Works without a network.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const steps = [
  ["node", "scripts/build.mjs"],
  [
    "node",
    "node_modules/@vscode/vsce/vsce",
    "package",
    "--no-dependencies",
    "--allow-missing-repository",
    "--no-rewrite-relative-links",
    "--no-update-package-json",
    "-o",
    `retouch-${version}.vsix`,
  ],
];
for (const [program, ...rest] of steps) {
  const { status } = spawnSync(program === "node" ? process.execPath : program, rest, {
    stdio: "inherit",
  });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
