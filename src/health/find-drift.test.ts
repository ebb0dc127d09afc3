import assert from "node:assert/strict";
import { test } from "node:test";
import { findDrift, type SampledReplies } from "./find-drift.ts";
import { MemberNames } from "./member-names.ts";
import { countReply, decodeCounts, encodeCounts, type ShapeCounts } from "./shape-counts.ts";
import { shapeOfReply } from "./shape-of-reply.ts";

function sample(count: number, reply: (at: number) => unknown, names = new MemberNames("")): SampledReplies {
  const counts: ShapeCounts = new Map();
  for (let at = 0; at < count; at += 1) countReply(counts, shapeOfReply(reply(at), "", names, String(at)));
  return { samples: count, counts, processes: 1 };
}
const drift = (before: SampledReplies, now: SampledReplies) =>
  findDrift(before, now).map(({ kind, path, before: old, now: present }) =>
    kind === "changed" ? [kind, path, old.types.join(), present.types.join()] : [kind, path],
  );
const WORDS = "id name address city country officers born role";
const company = (at: number) => ({
  id: at,
  name: "Acme",
  ...(at % 10 === 0 && { country: "GB" }),
  address: at % 2 === 0 ? { city: "Bath" } : null,
  officers: [{ name: "A", born: 1970 }, { name: "B" }],
});

test("equal replies are silent, and an absent parent is reported once", () => {
  const names = () => new MemberNames(WORDS);
  const before = sample(500, company, names());
  assert.deepEqual(drift(before, sample(60, company, names())), []);
  const without = (at: number) => {
    const { address: _, officers: __, ...rest } = company(at);
    return { ...rest, role: true };
  };
  assert.deepEqual(drift(before, sample(60, without, names())), [
    ["missing", "address"],
    ["missing", "officers"],
    ["new", "role"],
  ]);
});

test("a member of list items, a type and a value that becomes null are reported with their paths", () => {
  const before = sample(500, company, new MemberNames(WORDS));
  const changed = (at: number) => ({
    ...company(at),
    id: String(at),
    name: at % 3 === 0 ? null : "Acme",
    officers: [{ name: "A" }],
  });
  assert.deepEqual(drift(before, sample(60, changed, new MemberNames(WORDS))), [
    ["changed", "id", "number", "string"],
    ["changed", "name", "string", "null,string"],
    ["missing", "officers[].born"],
  ]);
});

test("few replies report nothing, and a rare member needs many", () => {
  const before = sample(500, company, new MemberNames(WORDS));
  const poor = (at: number) => ({ id: at });
  assert.deepEqual(drift(before, sample(1, poor, new MemberNames(WORDS))), []);
  const rareGone = (at: number) => ({ ...company(1), id: at });
  assert.deepEqual(
    drift(before, sample(40, rareGone, new MemberNames(WORDS)))
      .flat()
      .includes("country"),
    false,
  );
  assert.deepEqual(
    drift(before, sample(400, rareGone, new MemberNames(WORDS)))
      .flat()
      .includes("country"),
    true,
  );
});

test("names that may be data are never kept", () => {
  const names = new MemberNames("by_person age");
  const { counts } = sample(
    300,
    (at) => ({
      [`ada${at}@example.com`]: 1,
      "020 7946 0018": 1,
      GB29NWBK60161331926819: 1,
      "1990-01-01": 1,
      "Ada Lovelace": 1,
      by_person: { [`person_${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`]: { age: at } },
    }),
    names,
  );
  assert.deepEqual([...counts.keys()].toSorted(), ["", "*", "by_person", "by_person.*", "by_person.*.age"]);
  assert.ok(counts.get("by_person")!.maps > 0);
  const once = new MemberNames("declared_name");
  const twice: ShapeCounts = new Map();
  for (let at = 0; at < 50; at += 1)
    countReply(twice, shapeOfReply({ smith: 1, declared_name: 1 }, "", once, "the same call"));
  assert.deepEqual([...twice.keys()], ["", "*", "declared_name"]);
});

test("a name that occurs for several inputs is kept, also by a later process", async () => {
  const { counts } = sample(20, () => ({ "odata.type": "x", items: [{ a1: 1 }] }));
  assert.deepEqual(
    [...counts.keys()],
    ["", "*", "*[]", "*[].*", '"odata.type"', "items", "items[]", "items[].*", "items[].a1"],
  );
  assert.equal(counts.get('"odata.type"')!.total, 16);
  const stored = await decodeCounts(await encodeCounts(counts));
  assert.deepEqual(stored, counts);
  const later = sample(1, () => ({ "odata.type": "x", items: [{ a1: 1 }] }), new MemberNames("", stored.keys()));
  assert.deepEqual([...later.counts.keys()], ["", '"odata.type"', "items", "items[]", "items[].a1"]);
});

test("a document of any size has a bounded shape", () => {
  const names = new MemberNames(Array.from({ length: 2_000 }, (_, at) => `n${at}`).join(" "));
  const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`n${at}`, { deep: at }]));
  assert.equal(shapeOfReply(wide, "", names, "1").size, 500);
  let deep: unknown = 1;
  for (let at = 0; at < 100; at += 1) deep = [deep];
  assert.equal(shapeOfReply(deep, "", new MemberNames(""), "1").size, 16);
});

test("members whose names are not kept are compared only in maps, where they are alike", () => {
  const people = (at: number, person: object) => {
    const key = `k${String.fromCharCode(97 + (at % 26), 97 + (Math.floor(at / 26) % 26))}`;
    return { by_person: { [key]: person }, ...(at < 4 && { [key]: { first: 1 } }) };
  };
  const make = (person: object) => sample(300, (at) => people(at, person), new MemberNames("by_person age born"));
  const before = make({ age: 7 });
  assert.ok(before.counts.has("*.*"));
  const now = sample(300, (at) => people(at + 26 * 13, { born: 1970 }), new MemberNames("by_person age born"));
  assert.deepEqual(drift(before, now), [
    ["missing", "by_person.*.age"],
    ["new", "by_person.*.born"],
  ]);
  const unlike = sample(60, () => ({ by_person: {}, "two words": { second: 1 } }), new MemberNames("by_person second"));
  assert.deepEqual(
    drift(before, unlike).filter(([, path]) => path!.startsWith("*")),
    [],
  );
});

test("names that a process did not keep yet are neither new nor missing", () => {
  const reply = () => ({ id: 1, name: "x" });
  const many = sample(500, reply);
  for (const few of [1, 2, 3, 4]) {
    assert.deepEqual(drift(sample(few, reply), many), []);
    assert.deepEqual(drift(many, sample(few, reply)), []);
  }
});
