import assert from "node:assert/strict";
import { test } from "node:test";
import { leastCpuMs } from "../platform/cpu-time.kit.ts";
import fc from "fast-check";
import { didYouMean, didYouMeanAnyOf, nearest, resembles } from "./nearest.ts";

test("one or two typing errors resemble a name, three do not", () => {
  for (const slip of ["comapny_number", "company-number", "COMPANYNUMBER", "cmpany_numbr", "company_numberss"]) {
    assert.ok(resembles(slip, "company_number"), slip);
  }
  for (const other of ["cmpny_numbr", "number", "", "__"]) assert.ok(!resembles(other, "company_number"), other);
  assert.ok(resembles("vni", "vin") && !resembles("vi_xy", "vin"), "one slip is enough for a short name");
});

test("resemblance is the number of typing errors, as computed from the definition", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      const slips = other.length <= 4 ? 1 : 2;
      assert.equal(resembles(one, other), one !== "" && distance(one, other) <= slips);
    }),
    { numRuns: 2000 },
  );
});

/** The edit distance, computed directly from its definition. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const change = distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
  if (a[0] === b[0]) return change;
  const swapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return Math.min(
    change,
    distance(a.slice(1), b) + 1,
    distance(a, b.slice(1)) + 1,
    swapped ? distance(a.slice(2), b.slice(2)) + 1 : Number.POSITIVE_INFINITY,
  );
}

test("a word that is too long for a name resembles none, and is not compared", () => {
  const long = "timeout-".repeat(120_000);
  leastCpuMs(5, () => {
    assert.deepEqual(
      nearest(
        long,
        Array.from({ length: 1_000 }, (_, at) => `timeout_${at}`),
      ),
      [],
    );
    assert.equal(didYouMean(long, ["timeout"]), undefined);
    assert.equal(resembles(`timeout${"-".repeat(1_000_000)}`, "timeout"), false);
  });
});

test("suggestions begin with misspelled names, and are never many", () => {
  const ids = ["acme__people", "acme__person", "bell__phone", ...Array.from({ length: 20 }, (_, at) => `acme__${at}`)];
  assert.deepEqual(nearest("acme__pepole", ids).slice(0, 1), ["acme__people"]);
  assert.deepEqual(nearest("phone", ids), ["bell__phone"]);
  assert.deepEqual(nearest("acme__person_2", ["acme__people", "old__acme__person_2"])[0], "old__acme__person_2");
  assert.deepEqual(nearest("zzz", ids), []);
  assert.equal(nearest("acme", ids).length, 5);
});

test("a question names what was probably meant, in natural language", () => {
  assert.equal(didYouMeanAnyOf("strat", ["start", "dev"]), "Did you mean start?");
  assert.equal(didYouMeanAnyOf("port", ["port", "admin-port"], "--"), "Did you mean --port or --admin-port?");
  const three = ["token list", "token create", "token revoke"];
  assert.equal(didYouMeanAnyOf("token", three), "Did you mean token list, token create or token revoke?");
  assert.equal(didYouMeanAnyOf("zzz", three), null);
});
