// Runs one end-to-end test file in a real editor: node scripts/e2e.mjs scripted|model
// The plan is read from RETOUCH_E2E, a JSON object: see e2e/plan.ts.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { build } from "esbuild";

const [name = "scripted"] = process.argv.slice(2);
const outfile = `dist/e2e/${name}.cjs`;
await build({
  entryPoints: [`e2e/${name}.test.ts`],
  outfile,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["playwright-core"],
  sourcemap: "inline",
  logLevel: "warning",
});
const options = ["--enable-source-maps", "--test", "--test-reporter=spec"];
const run = spawnSync(process.execPath, [...options, outfile], { stdio: "inherit" });
process.exit(run.status ?? 1);
