import assert from "node:assert/strict";
import { test } from "node:test";
import { matchPath } from "./match-path.ts";

test("a pattern takes the parts of a path that it names, and matches nothing longer or shorter", () => {
  assert.deepEqual(matchPath("/runs", "/runs"), {});
  assert.deepEqual(matchPath("/runs/:id", "/runs/trx_1"), { id: "trx_1" });
  assert.deepEqual(matchPath("/runs/:id", "/runs/a%2Fb"), { id: "a/b" });
  assert.deepEqual(matchPath("/runs/:id", "/runs/%"), { id: "%" });
  for (const path of ["/runs", "/runs/a/b", "/run/a"]) assert.equal(matchPath("/runs/:id", path), null, path);
});
