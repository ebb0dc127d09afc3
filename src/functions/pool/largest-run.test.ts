import assert from "node:assert/strict";
import { test } from "node:test";
import { nameLargest, type Weighed } from "./largest-run.ts";
import type { Running } from "./running.ts";

const MB = 1_048_576;
const EMPTY = 60 * MB;

function weighed(organizationId: string, megabytes: number | null, rssBeforeMb = 60): Weighed {
  const running = { job: { organizationId }, rssBefore: rssBeforeMb * MB } as unknown as Running;
  return { running, bytes: megabytes === null ? null : megabytes * MB };
}

function nameOf(all: readonly Weighed[], rssMb: number): { at: number; megabytes: number; measured: boolean } | null {
  const named = nameLargest(all, rssMb * MB, EMPTY);
  if (named === null) return null;
  const at = all.findIndex(({ running }) => running === named.running);
  return { at, megabytes: named.bytes / MB, measured: named.measured };
}

test("of the organization that holds most the largest run is named, though another's single run is larger", () => {
  const all = [weighed("b", 60), weighed("a", 40), weighed("a", 50), weighed("a", 30)];
  assert.deepEqual(nameOf(all, 340), { at: 2, megabytes: 50, measured: true });
});

test("what nothing else accounts for is that of the only run that does not answer", () => {
  const all = [weighed("b", 20), weighed("a", null), weighed("b", 20)];
  assert.deepEqual(nameOf(all, 400), { at: 1, megabytes: 300, measured: false });
});

test("a run is never taken to hold more than its process has grown by since it began", () => {
  const late = weighed("b", null, 395);
  assert.equal(nameOf([weighed("a", 2), late], 400), null);
  assert.deepEqual(nameOf([weighed("a", null), late], 400), { at: 0, megabytes: 170, measured: false });
});

test("nobody is named where nobody holds much, or nobody is there", () => {
  assert.equal(nameOf([weighed("a", 5), weighed("b", 10)], 400), null);
  assert.equal(nameOf([], 400), null);
});

test("nobody is named for memory of which most belongs to no run that is known", () => {
  assert.equal(nameOf([weighed("a", 2), weighed("b", 26), weighed("b", 26)], 265), null);
  assert.deepEqual(nameOf([weighed("a", 120), weighed("b", 26)], 265), { at: 0, megabytes: 120, measured: true });
});
