// Runs the unit tests: each is bundled with test/fake/vscode.ts in place of `vscode`, then run by Node.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { build } from "esbuild";

const out = "dist/test";
const files = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: files.map((name) => path.join("test", name)),
  outdir: out,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  alias: { vscode: path.resolve("test/fake/vscode.ts") },
  sourcemap: "inline",
  logLevel: "warning",
});
const tests = files.map((name) => path.join(out, name.replace(/\.ts$/, ".cjs")));
const options = ["--enable-source-maps", "--test", "--test-reporter=spec"];
const run = spawnSync(process.execPath, [...options, ...tests], { stdio: "inherit" });
process.exit(run.status ?? 1);
