import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../terms/fault.ts";
import { bodyCheckOf } from "./parse-body.ts";
import { dataRoute } from "./routes/data.ts";

const data = bodyCheckOf(dataRoute.body.schema);

function problemsOf(sources: object): Fault {
  try {
    data({ config: { sources: sources as never } });
  } catch (thrown) {
    return thrown as Fault;
  }
  throw new Error("it was taken");
}

test("a body with too many sources is refused by their number, without validating the entries", () => {
  let looked = 0;
  const entries = Array.from({ length: 10_000 }, (_, index) => [`acme__s${index}`, undefined] as const);
  const sources = Object.fromEntries(entries);
  for (const [name] of entries)
    Object.defineProperty(sources, name, { enumerable: true, get: () => ((looked += 1), "wrong") });
  assert.deepEqual(problemsOf(sources).problems, [
    { path: "/config/sources", message: "must have at most 100 fields" },
  ]);
  assert.equal(looked, 0);
});

test("of many wrong entries the first ten are named", () => {
  const sources = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`acme__s${index}`, 1]));
  assert.equal(problemsOf(sources).problems!.length, 10);
});
