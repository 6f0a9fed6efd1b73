import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditRequest } from "vscode-languageclient";
import { type Carried, middleware } from "../src/server/middleware";
import { workspace } from "./fake/vscode";
import { span, stage } from "./harness";

const CARRIED = { stream: () => undefined } as unknown as Carried;

/** What becomes of an edit of a version of a document, and whether the client was let make it. */
async function applied(uri: string, version: number | null) {
  let passed = false;
  const next: ApplyWorkspaceEditRequest.HandlerSignature = async () => {
    passed = true;
    return { applied: true };
  };
  const edits = [{ range: span(0, 0, 0, 0), newText: "x" }];
  const params: ApplyWorkspaceEditParams = {
    edit: { documentChanges: [{ textDocument: { uri, version }, edits }] },
  };
  const handle = middleware(CARRIED).workspace?.handleApplyEdit;
  assert.ok(handle);
  const result = (await handle(params, next)) as { applied: boolean };
  return { applied: result.applied, passed };
}

test("an edit of an open document is the client's", async () => {
  const { document } = stage("a\n");
  const uri = document.uri.toString();
  assert.deepEqual(await applied(uri, 1), { applied: true, passed: true });
});

test("an edit of a version of a document that was closed is refused", async () => {
  const { document } = stage("a\n");
  const uri = document.uri.toString();
  workspace.textDocuments.length = 0;
  assert.deepEqual(await applied(uri, 1), { applied: false, passed: false });
  assert.deepEqual(await applied(uri, null), { applied: true, passed: true });
});
