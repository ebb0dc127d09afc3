import assert from "node:assert/strict";
import { test } from "node:test";
import { filterSources, type ListedSource, onFirst } from "./filter-sources.ts";

const made = (source: string, changes: Partial<ListedSource> = {}): ListedSource => ({
  source,
  title: source,
  credential: "none",
  leaves_machine: true,
  timeout_ms: 1,
  from: "catalog",
  package: null,
  on: true,
  charge: { model: "free", list_price: null, rows: [] },
  live_tested: null,
  input_names: [],
  cases: 0,
  ...changes,
});
const ALL = [
  made("iso__country", { title: "Countries", leaves_machine: false, input_names: ["country"] }),
  made("kvk__company", {
    title: "Dutch register",
    on: false,
    credential: "required",
    live_tested: "never",
    charge: { model: "per_call", list_price: null, rows: [] },
  }),
  made("acme__people", { from: "project", input_names: ["email", "phone"] }),
];
const NONE = { find: "", from: "", cost: "", credential: "", state: "" };
const found = (filter: Partial<typeof NONE>) => filterSources(ALL, { ...NONE, ...filter }).map(({ source }) => source);

test("sources are found by words of their id, title and inputs, and narrowed by what they are", () => {
  assert.equal(found({}).length, 3);
  assert.deepEqual(found({ find: " REGISTER dutch " }), ["kvk__company"]);
  assert.deepEqual(found({ find: "phone" }), ["acme__people"]);
  assert.deepEqual(found({ find: "phone register" }), []);
  assert.deepEqual(found({ from: "project" }), ["acme__people"]);
  assert.deepEqual(found({ cost: "billed" }), ["kvk__company"]);
  assert.deepEqual(found({ credential: "required" }), ["kvk__company"]);
  assert.deepEqual(found({ state: "off" }), ["kvk__company"]);
  assert.deepEqual(found({ state: "never_tested" }), ["kvk__company"]);
  assert.deepEqual(found({ state: "local" }), ["iso__country"]);
});

test("sources that are off come last, and the order is kept otherwise", () => {
  assert.deepEqual(
    onFirst([ALL[1]!, ALL[2]!, ALL[0]!]).map(({ source }) => source),
    ["acme__people", "iso__country", "kvk__company"],
  );
});
