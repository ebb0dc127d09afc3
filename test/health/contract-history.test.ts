import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { findDrift, type PathDrift, type SampledReplies } from "../../src/health/find-drift.ts";
import { MemberNames } from "../../src/health/member-names.ts";
import { countReply, type ShapeCounts } from "../../src/health/shape-counts.ts";
import { shapeOfReply } from "../../src/health/shape-of-reply.ts";
import { segmentOf } from "../../src/health/shape-path.ts";
import { seeded } from "./seeded.ts";

/**
 * Paths and types of the replies of a vendor, in all versions of its published contract that change them. `paths` has
 * those that a version adds or changes: types (0 null, b boolean, n number, s string, l list, o object), and ? if
 * optional.
 */
interface ContractHistory {
  readonly source: string;
  readonly endpoints: Readonly<Record<string, readonly ContractChange[]>>;
}

interface ContractChange {
  readonly version: string;
  readonly commit: string;
  readonly date: string;
  readonly paths: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

type Contract = ReadonlyMap<string, string>;

const { endpoints } = JSON.parse(
  readFileSync(new URL("contract-history.json", import.meta.url), "utf8"),
) as ContractHistory;
const BEFORE = 1_500;
const NOW = 500;

function versionsOf(changes: readonly ContractChange[]): { readonly version: string; readonly contract: Contract }[] {
  const contract = new Map<string, string>();
  return changes.map(({ version, paths, removed }) => {
    for (const path of removed) contract.delete(path);
    for (const [path, types] of Object.entries(paths)) contract.set(path, types);
    return { version, contract: new Map(contract) };
  });
}

/** Makes replies that fit a contract. Optional members are absent now and then. */
function replyMaker(contract: Contract, random: () => number): () => unknown {
  const named = [...contract].flatMap(([path, types]) => {
    const { parent, name } = segmentOf(path) ?? {};
    return name === undefined ? [] : [{ path, parent, name, isOptional: types.endsWith("?") }];
  });
  const members = Map.groupBy(named, ({ parent }) => parent);
  const make = (path: string): unknown => {
    const types = contract.get(path)!.replace("?", "");
    switch (types[Math.floor(random() * types.length)]) {
      case "0":
        return null;
      case "b":
        return random() < 0.5;
      case "n":
        return Math.floor(random() * 1e6);
      case "s":
        return random().toString(36);
      case "l":
        return contract.has(`${path}[]`)
          ? Array.from({ length: Math.floor(random() * 3) }, () => make(`${path}[]`))
          : [];
    }
    const present = (members.get(path) ?? []).filter(({ isOptional }) => !isOptional || random() < 0.8);
    return Object.fromEntries(present.map((member) => [member.name, make(member.path)]));
  };
  return () => make("");
}

function sample(contract: Contract, count: number, names: MemberNames, random: () => number): SampledReplies {
  const reply = replyMaker(contract, random);
  const counts: ShapeCounts = new Map();
  for (let at = 0; at < count; at += 1) countReply(counts, shapeOfReply(reply(), "", names, String(random())));
  return { samples: count, counts, processes: 1 };
}

function ancestorsOf(path: string): readonly string[] {
  const segment = segmentOf(path);
  return segment === null ? [] : [segment.parent, ...ancestorsOf(segment.parent)];
}

for (const [endpoint, changes] of Object.entries(endpoints)) {
  const versions = versionsOf(changes);

  test(`${endpoint}: each path that one of ${versions.length} published versions removes or retypes is reported, and nothing else is`, () => {
    assert.ok(versions.length >= 10);
    const random = seeded(40);
    let [removals, retypings] = [0, 0];
    for (const [at, { version, contract }] of versions.entries()) {
      const previous = versions[at - 1]?.contract;
      if (previous === undefined) continue;
      const names = new MemberNames("");
      const before = sample(previous, BEFORE, names, random);
      const drift = findDrift(before, sample(contract, NOW, names, random));
      const reported = new Map(drift.map(({ path, kind }) => [path, kind]));
      const removed = [...previous.keys()].filter((path) => !contract.has(path));
      const typesIn = (of: Contract, path: string) => of.get(path)!.replace("?", "");
      const retyped = [...previous.keys()].filter(
        (path) => contract.has(path) && typesIn(previous, path) !== typesIn(contract, path),
      );
      const isReported = (path: string, kind: string) =>
        reported.get(path) === kind || ancestorsOf(path).some((ancestor) => reported.has(ancestor));
      const unreported = [
        ...removed.filter((path) => !isReported(path, "missing")),
        ...retyped.filter((path) => !isReported(path, "changed")),
      ];
      assert.deepEqual(unreported, [], version);
      const expected: Readonly<Record<PathDrift["kind"], readonly string[]>> = {
        missing: removed,
        changed: retyped,
        new: [...contract.keys()].filter((path) => !previous.has(path)),
        shifted: [],
      };
      const wrong = drift.filter(({ path, kind }) => !expected[kind].includes(path));
      assert.deepEqual(wrong, [], version);
      removals += removed.length;
      retypings += retyped.length;
    }
    assert.ok(removals > 0 && retypings > 0, `${removals} removals, ${retypings} retypings`);
  });

  test(`${endpoint}: replies of the same published version are silent`, () => {
    const random = seeded(41);
    for (const { version, contract } of versions) {
      const names = new MemberNames("");
      const before = sample(contract, BEFORE, names, random);
      assert.deepEqual(findDrift(before, sample(contract, NOW, names, random)), [], version);
    }
  });
}
