import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";
import ipaddr from "ipaddr.js";
import { iso31661 } from "iso-3166/1.js";

import { foldCountryName, loadCountryIndex } from "./country-index.ts";
import { loadOnce } from "./load-once.ts";
import { loadEuMembers, loadRegions } from "./regions.ts";
import { RANGE_KINDS, rangeKind } from "./special-purpose-ranges.ts";

test("the European Union has 27 member states", async () => {
  const members = await loadEuMembers();
  const expected = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK";
  assert.deepEqual([...members].sort(), expected.split(" "));
});

test("every country of ISO's is found under its English name", async () => {
  const { byEnglishName, byName } = await loadCountryIndex();
  const found = new Set([...byEnglishName.values()].flat());
  assert.deepEqual(
    iso31661.filter((country) => !found.has(country.alpha2)),
    [],
  );
  assert.deepEqual(byName.get(foldCountryName("Österreich")), ["AT"]);
});

test("scripts whose vowels are signs keep them, so that names do not collide", async () => {
  const { byName } = await loadCountryIndex();
  const ambiguous = [...byName.values()].filter((codes) => codes.length > 1).length;
  assert.ok(ambiguous < 10, `${ambiguous} names stand for several countries`);
});

test("every point on earth has an answer", async () => {
  const { featuresContaining } = await loadRegions();
  const degrees = (max: number) => fc.double({ min: -max, max, noNaN: true });
  fc.assert(
    fc.property(degrees(180), degrees(90), (longitude, latitude) => {
      assert.ok(Array.isArray(featuresContaining([longitude, latitude])));
    }),
  );
});

test("every address that is well formed has a kind of range", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      assert.ok(ipaddr.isValid(text));
      assert.ok(RANGE_KINDS.includes(rangeKind(ipaddr.parse(text))));
    }),
  );
});

test("a load that failed is tried again, and one that worked is not", async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("not yet");
    return loads;
  });
  await assert.rejects(load());
  assert.deepEqual([await load(), await load()], [2, 2]);
});
