import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { expanded, findPython, type Source } from "../src/python/find";
import { besideProgram, onPath } from "../src/python/lookup";
import { probe, type Verdict } from "../src/python/probe";
import { sources } from "../src/python/sources";
import { Turns } from "../src/server/turns";
import { pythonSetting } from "../src/settings";
import { extensions, fake, workspace } from "./fake/vscode";

function source(name: string, candidates: string[], binding = false): Source {
  return { name, binding, candidates: async () => candidates };
}

async function only(python: string, asked: string): Promise<Verdict> {
  return python === asked ? { ok: true, version: "1" } : { ok: false, why: `not ${asked}` };
}

test("the first Python with Retouch is taken, in the order of the sources", async () => {
  const places = [source("a", ["/x"]), source("b", ["/y", "/z"])];
  assert.deepEqual(await findPython(places, (python) => only(python, "/z")), {
    python: "/z",
    version: "1",
    source: "b",
  });
});

test("what was tried in vain is told", async () => {
  const missing = await findPython([source("a", ["/x"])], (python) => only(python, "/z"));
  assert.deepEqual(missing, { attempts: [{ source: "a", python: "/x", why: "not /z" }] });
});

test("a source that can't be asked is told, and the next one is", async () => {
  const broken = { name: "a", binding: false, candidates: () => Promise.reject("no leave") };
  const found = await findPython([broken, source("b", ["/z"])], (python) => only(python, "/z"));
  assert.deepEqual(found, { python: "/z", version: "1", source: "b" });
  assert.deepEqual(await findPython([broken], (python) => only(python, "/z")), {
    attempts: [{ source: "a", python: "a", why: "no leave" }],
  });
});

test("a setting that is no text names no Python, or what it says", () => {
  fake.reset();
  assert.equal(pythonSetting(), "");
  fake.settings.set("retouch.python", 3);
  assert.equal(pythonSetting(), "3");
  const original = workspace.getConfiguration;
  workspace.getConfiguration = (section) => ({ ...original(section), get: () => null });
  assert.equal(pythonSetting(), "");
  workspace.getConfiguration = original;
});

test("a start that fails is told, and does not keep the next from its turn", async () => {
  const failures: unknown[] = [];
  const done: string[] = [];
  const turns = new Turns((error) => failures.push(error));
  const first = turns.take(() => Promise.reject("broken"));
  const second = turns.take(async () => {
    done.push("second");
  });
  await first;
  await second;
  assert.deepEqual([failures, done], [["broken"], ["second"]]);
});

test("no other Python stands in for the one that the user has set", async () => {
  const places = [source("setting", ["/x"], true), source("b", ["/z"])];
  const missing = await findPython(places, (python) => only(python, "/z"));
  assert.ok("attempts" in missing);
  const unset = [source("setting", [], true), source("b", ["/z"])];
  assert.ok("python" in (await findPython(unset, (python) => only(python, "/z"))));
});

function folder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "retouch-"));
}

function file(where: string, text = ""): string {
  fs.mkdirSync(path.dirname(where), { recursive: true });
  fs.writeFileSync(where, text, { mode: 0o755 });
  return fs.realpathSync(where);
}

test("the interpreter of the program retouch is that of its first line", async () => {
  const home = folder();
  const python = file(path.join(home, "env", "bin", "python3.11"));
  file(path.join(home, "bin", "retouch"), `#!${python}\nimport sys\n`);
  assert.deepEqual(await besideProgram(path.join(home, "bin"), false), [python]);
});

test("a linked program is followed to the Python beside it", async () => {
  const home = folder();
  const program = file(path.join(home, "env", "bin", "retouch"), "#!/bin/sh\n");
  const python = file(path.join(home, "env", "bin", "python3"));
  fs.mkdirSync(path.join(home, "bin"));
  fs.symlinkSync(program, path.join(home, "bin", "retouch"));
  assert.deepEqual(await besideProgram(path.join(home, "bin"), false), [python]);
});

test("without the program there is no candidate, and relative folders are not searched", async () => {
  const home = folder();
  file(path.join(home, "retouch"));
  assert.deepEqual(await besideProgram(folder(), false), []);
  const relative = path.relative(process.cwd(), home);
  assert.equal(await onPath("retouch", [".", relative, ""].join(path.delimiter)), undefined);
});

test("a home folder is written out", () => {
  assert.equal(expanded("~/env/bin/python"), path.join(os.homedir(), "env/bin/python"));
  assert.equal(expanded("python3"), "python3");
});

test("a probe tells a Python with Retouch from one without, and from none", async () => {
  const home = folder();
  const good = file(path.join(home, "good"), "#!/bin/sh\necho 0.1.0\n");
  const plain = file(
    path.join(home, "plain"),
    "#!/bin/sh\necho 'importlib.metadata.PackageNotFoundError: retouch' >&2\nexit 1\n",
  );
  assert.deepEqual(await probe(good), { ok: true, version: "0.1.0" });
  assert.deepEqual(await probe(plain), { ok: false, why: "Retouch is not installed in it" });
  assert.deepEqual(await probe(path.join(home, "none")), {
    ok: false,
    why: "there is no such program",
  });
});

test("a probe runs Python isolated, so that the workspace can't answer for it", async () => {
  const echo = file(path.join(folder(), "echo"), '#!/bin/sh\necho "$1 $2"\n');
  assert.deepEqual(await probe(echo), { ok: true, version: "-I -c" });
});

test("the workspace's interpreter is asked for only in a trusted workspace", async () => {
  fake.reset();
  const environments = { getActiveEnvironmentPath: () => ({ path: "/w/.venv/bin/python" }) };
  extensions.getExtension = () => ({ activate: async () => ({ environments }) });
  const third = sources("")[2];
  assert.deepEqual(await third?.candidates(), ["/w/.venv/bin/python"]);
  workspace.isTrusted = false;
  assert.deepEqual(await third?.candidates(), []);
  extensions.getExtension = () => undefined;
});

test("the order: the setting, the program, the workspace, python3", async () => {
  const [first, ...others] = sources("/opt/python");
  assert.deepEqual(await first?.candidates(), ["/opt/python"]);
  assert.equal(first?.binding, true);
  assert.equal(others.length, 3);
  assert.deepEqual(await sources("")[0]?.candidates(), []);
  assert.deepEqual(await others[2]?.candidates(), ["python3"]);
});
