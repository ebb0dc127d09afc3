import assert from "node:assert/strict";
import { test } from "node:test";
import { findMisspelledInputs, type DeclaredInputs } from "./misspelled-inputs.ts";

/** The sources of a run, one for each list of declared names; `looked` is called for every name that is read. */
function askedOf(
  lists: readonly (readonly string[])[],
  looked: (name: string) => void = () => {},
): readonly DeclaredInputs[] {
  return lists.map((names, index) => {
    const inputNames = new Proxy(names, {
      get(list, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) looked(list[Number(key)]!);
        return Reflect.get(list, key) as unknown;
      },
    });
    return { id: `acme__s${index}`, inputNames };
  });
}

test("a name that no source declares is reported for each source that declares a similar one", () => {
  const plan = askedOf([["company_number", "name"], ["company-number"], ["vin"]]);
  assert.deepEqual(findMisspelledInputs(plan, { comapny_number: 1, name: "x", colour: 2 }), [
    { id: "acme__s0", name: "comapny_number", meant: "company_number" },
    { id: "acme__s1", name: "comapny_number", meant: "company-number" },
  ]);
});

test("a name that one source of the run declares is not reported as misspelled for another", () => {
  assert.deepEqual(findMisspelledInputs(askedOf([["names"], ["name"]]), { name: "x" }), []);
});

test("the cost for one run does not grow with its sources, their names and its inputs", () => {
  const names = (of: number) => Array.from({ length: 20 }, (_, at) => `declared_name_number_${at}_of_source_${of}`);
  const looks = (sources: number, sent: number) => {
    let looked = 0;
    const lists = Array.from({ length: sources }, (_, of) => names(of));
    const inputs = Object.fromEntries(
      Array.from({ length: sent }, (_, at) => [`declaxed_namx_numb${at}_of_source_a`, 1]),
    );
    findMisspelledInputs(
      askedOf(lists, () => (looked += 1)),
      inputs,
    );
    return looked - sources * 20; // To know what is claimed, each name is looked at once.
  };
  const most = looks(100, 10_000);
  assert.ok(most <= looks(100, 100) && most <= 400, `${most} comparisons`);
});

test("what has been compared once is not compared again, and is reported again", () => {
  let looked = 0;
  const compared = new WeakMap();
  const plan = askedOf([["company_number", "name"], ["vin"]], () => (looked += 1));
  const inputs = { comapny_number: 1, colour: 2 };
  const found = findMisspelledInputs(plan, inputs, compared);
  const before = looked;
  assert.deepEqual(findMisspelledInputs(plan, inputs, compared), found);
  assert.equal(found.length, 1);
  assert.equal(looked - before, 3, "each name is looked at once, to know what is claimed");
});

test("what was not compared because there was no time is compared for a later run", () => {
  const sent = Array.from({ length: 5 }, (_, at) => `name_${at}`);
  const lists = Array.from({ length: 100 }, (_, of) => [`other_${of}`, `amount_${of}`]);
  const plan = askedOf([...lists, ["nam_4"]]);
  const inputs = Object.fromEntries(sent.map((name) => [name, 1]));
  const compared = new WeakMap();
  let found = findMisspelledInputs(plan, inputs, compared);
  for (let run = 0; run < 10 && found.length === 0; run += 1) found = findMisspelledInputs(plan, inputs, compared);
  assert.deepEqual(
    found.map(({ meant }) => meant),
    ["nam_4"],
  );
});

test("names that are too long to be misspelled are not compared at all", () => {
  let looked = 0;
  const inputs = Object.fromEntries(Array.from({ length: 50 }, (_, at) => ["n".repeat(200_000) + at, 1]));
  assert.deepEqual(
    findMisspelledInputs(
      askedOf([["name"]], () => (looked += 1)),
      inputs,
    ),
    [],
  );
  assert.equal(looked, 1);
});
