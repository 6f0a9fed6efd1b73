// Bundles the extension into dist/extension.js, and the licences of what is in it beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: true,
  metafile: true,
  logLevel: "warning",
});

const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const packages = Object.keys(metafile.inputs).flatMap((file) => file.match(folder) ?? []);
const notices = [...new Set(packages)].sort().map((where) => {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(where, "package.json"), "utf8"),
  );
  const text = readdirSync(where).find((file) => /^licen[cs]e/i.test(file));
  if (!text) {
    throw new Error(`${name} has no licence text`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(where, text), "utf8").trim()}\n`;
});
writeFileSync("dist/third-party.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
