import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "./csv-line.ts";

test("a cell is quoted where it has to be, and is never a formula", () => {
  assert.equal(csvLine(["a", 1, null, "b,c", 'd"e', "f\ng"]), 'a,1,,"b,c","d""e","f\ng"\r\n');
  for (const formula of ["=1+1", "+1", "-1", "@x", "\t=1+1"]) assert.equal(csvLine([formula]), `'${formula}\r\n`);
  assert.equal(csvLine(["\r=1+1"]), `"'\r=1+1"\r\n`);
});
