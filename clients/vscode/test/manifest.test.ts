import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Parts, registerCommands } from "../src/commands/register";
import { LEVELS } from "../src/heat/levels";
import { pythonSetting, serverSettings } from "../src/settings";
import { commands, fake, workspace } from "./fake/vscode";

interface Manifest {
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown; order: number }> }[];
    keybindings: { command: string; key: string; mac?: string; when: string }[];
    menus: Record<string, { command?: string; submenu?: string }[]>;
    walkthroughs: { steps: { description: string; media: Record<string, string> }[] }[];
    colors: { id: string }[];
  };
}

const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const settings = Object.assign({}, ...contributes.configuration.map((part) => part.properties));
const declared = contributes.commands.map(({ command }) => command);

test("every setting is read, and by the default that it is declared with", () => {
  fake.reset();
  const read = new Map<string, unknown>();
  const original = workspace.getConfiguration;
  workspace.getConfiguration = (section) => ({
    ...original(section),
    get: (name: string, otherwise: unknown) => {
      read.set(`${section}.${name}`, otherwise);
      return otherwise;
    },
  });
  serverSettings();
  pythonSetting();
  workspace.getConfiguration = original;
  const defaults = Object.entries(settings).map(([name, part]) => [
    name,
    (part as { default: unknown }).default,
  ]);
  assert.deepEqual(Object.fromEntries(read), Object.fromEntries(defaults));
});

test("every command is carried out, and every one that is carried out is declared", () => {
  const registered: string[] = [];
  const original = commands.registerCommand;
  commands.registerCommand = (name, handler) => {
    registered.push(name);
    return original(name, handler);
  };
  registerCommands({} as Parts);
  commands.registerCommand = original;
  assert.deepEqual(registered.sort(), [...declared].sort());
});

test("keys and menus name commands that there are", () => {
  const menus = Object.values(contributes.menus).flat();
  for (const { command } of [...contributes.keybindings, ...menus]) {
    assert.ok(command === undefined || declared.includes(command), command);
  }
  for (const step of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    for (const [, command] of step.description.matchAll(/command:(retouch\.\w+)/g)) {
      assert.ok(declared.includes(command as string), command);
    }
  }
});

test("the keys of inline suggestions stay the editor's", () => {
  for (const { key, mac, when } of contributes.keybindings) {
    assert.doesNotMatch(`${key} ${mac}`, /\btab\b|right|alt\+[[\]]|alt\+\\/);
    assert.ok(!/escape/.test(key) || when.includes("!inlineSuggestionVisible"));
    assert.ok(when.includes("retouch."), `${key} is ours only while Retouch has something to do`);
  }
});

test("every level of heat has a colour", () => {
  const ids = contributes.colors.map(({ id }) => id);
  for (const [index] of LEVELS.entries()) {
    assert.ok(ids.includes(`retouch.heat${index + 1}`));
  }
});

test("the lock file names no registry", () => {
  const lock = readFileSync("package-lock.json", "utf8");
  assert.doesNotMatch(lock, /"resolved"|https?:\/\/[^"]*(registry|npm)/);
});
