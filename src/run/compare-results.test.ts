import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../terms/fault.ts";
import { compareResults } from "./compare-results.ts";
import { readFunctionResult, type FunctionResult } from "./function-result.ts";

const DECLARED = new Set(["a", "b"]);
const RAISED = new Fault("function.raised");
const REFUSED = new Fault("function.input_invalid", { problem: "x" });

function result(fields: object): FunctionResult {
  return readFunctionResult(JSON.stringify(fields));
}

type Side = FunctionResult | Fault;
const CASES: readonly [name: string, present: Side, candidate: Side, whole: string, fields: object][] = [
  [
    "equal",
    result({ output: { a: { x: 1, y: 2 } } }),
    result({ output: { a: { y: 2, x: 1 } } }),
    "same",
    { a: "same" },
  ],
  [
    "different",
    result({ output: { a: 1, b: 2 } }),
    result({ output: { a: 1, b: 3 } }),
    "different",
    { a: "same", b: "different" },
  ],
  ["missing", result({ output: { a: 1, b: 2 } }), result({ output: { a: 1 } }), "missing", { a: "same", b: "missing" }],
  ["added", result({ output: { a: 1 } }), result({ output: { a: 1, b: null } }), "added", { a: "same", b: "added" }],
  [
    "missing and added",
    result({ output: { a: 1 } }),
    result({ output: { b: 1 } }),
    "different",
    { a: "missing", b: "added" },
  ],
  [
    "undeclared",
    result({ output: { ada: 1, bob: 2 } }),
    result({ output: { ada: 1, eve: 2 } }),
    "different",
    { "*": "different" },
  ],
  ["success", result({ success: false }), result({}), "different", {}],
  ["message and steps", result({ message: "x", pipes: { a: 1 } }), result({ message: "y" }), "same", {}],
  ["fields for passthrough", result({ a: 1 }), result({ a: 2 }), "different", {}],
  ["nothing", readFunctionResult(null), result({}), "same", {}],
  ["failed", result({ output: { a: 1 } }), RAISED, "failed", { a: "failed" }],
  ["failed alike", RAISED, RAISED, "same", {}],
  ["failed otherwise", REFUSED, RAISED, "failed", {}],
  ["failed no more", RAISED, result({ output: { a: 1 } }), "different", { a: "added" }],
];

for (const [name, present, candidate, whole, fields] of CASES)
  test(`a candidate's result is compared: ${name}`, () => {
    const verdicts = compareResults(present, candidate, false, DECLARED);
    assert.deepEqual([verdicts.whole, Object.fromEntries(verdicts.fields)], [whole, fields]);
  });

test("a candidate with an unrecorded call is compared no further", () => {
  const verdicts = compareResults(result({ output: { a: 1, ada: 2 } }), RAISED, true, DECLARED);
  assert.deepEqual(
    [verdicts.whole, Object.fromEntries(verdicts.fields)],
    ["unrecorded", { a: "unrecorded", "*": "unrecorded" }],
  );
});
