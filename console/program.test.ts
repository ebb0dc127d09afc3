import assert from "node:assert/strict";
import { test } from "node:test";
import { program, typed } from "./program.ts";

test("commands are shown as they are typed on the service's machine, and prose stays", () => {
  program.value = "DATARUN_DATA_DIR=../d npx datarun";
  assert.equal(typed("datarun keys verify"), "DATARUN_DATA_DIR=../d npx datarun keys verify");
  assert.equal(
    typed('There is no budget. "datarun budget list" shows those that exist.'),
    'There is no budget. "DATARUN_DATA_DIR=../d npx datarun budget list" shows those that exist.',
  );
  assert.equal(typed("This version of datarun works on schema 5."), "This version of datarun works on schema 5.");
});
