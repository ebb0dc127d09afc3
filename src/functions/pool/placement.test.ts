import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Demands } from "./demands.ts";
import type { HostProcess } from "./host-process.ts";
import { Placement, type PlacementOptions } from "./placement.ts";
import { createQuarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";

/** So long after its first run it is known what a function needs. */
const KNOWN_MS = 600;

interface Asked {
  readonly name?: string;
  readonly memoryMb?: number;
}

/** The placement of runs in so many processes, none of which exists. The first one is for everybody. */
function placing(processes: number, options: Partial<PlacementOptions> = {}) {
  const clock = new FakeClock();
  const quarantine = createQuarantine(clock);
  const demands = new Demands(clock);
  const hosts = Array.from(
    { length: processes },
    () => ({ runs: new Map(), ready: true, retired: false, killed: false, apart: null }) as unknown as HostProcess,
  );
  const placement = new Placement(new Set(hosts), {
    now: clock.now,
    quarantine,
    demands,
    children: 1,
    runsPerChild: 64,
    apart: 4,
    waitingPerOrganization: 256,
    ...options,
  });
  let runs = 0;
  /** Whether they may wait for their place. */
  const add = (organizationId: string, count = 1, { name = "f", memoryMb = 64 }: Asked = {}): boolean =>
    Array.from({ length: count }, () => {
      const job = { what: "start", organizationId, isolate: `${organizationId}/${name}`, memoryMb };
      return placement.add({ id: (runs += 1), job, over: false, waitsApartSince: null } as unknown as Running);
    }).every(Boolean);
  /** Begins all that have a place. Returns how many runs of which organizations are in each process then. */
  const place = (): readonly string[] => {
    for (let placed = placement.next(); placed !== undefined; placed = placement.next())
      placed.host!.runs.set(placed.running.id, placed.running);
    return hosts.map(({ runs: own }) => {
      const byOrganization = Map.groupBy(own.values(), ({ job }) => job.organizationId);
      return [...byOrganization].map(([organizationId, its]) => `${its.length} of ${organizationId}`).join(", ");
    });
  };
  return { placement, quarantine, demands, clock, add, place };
}

test("while no process is open, a run waits for the first one, and none is set apart for it", () => {
  const { placement, add } = placing(0, { children: 2 });
  assert.ok(add("a"));
  assert.equal(placement.lacksApart, false);
  assert.equal(placement.next(), undefined);
});

test("an organization has so many runs waiting and no more, and another one is not refused for them", () => {
  const { add } = placing(0, { waitingPerOrganization: 3 });
  assert.deepEqual([add("a", 3), add("a"), add("b")], [true, false, true]);
});

test("of functions that are new an organization has four runs among others, and then sixteen: further ones run apart", async () => {
  const { clock, add, place } = placing(3);
  add("a", 18);
  add("a", 2, { name: "another" });
  add("b");
  assert.deepEqual(place(), ["4 of a, 1 of b", "", ""]);
  await clock.advance(KNOWN_MS);
  assert.deepEqual(place(), ["16 of a, 1 of b", "4 of a", ""]);
});

test("runs that are granted much memory share a process set apart with others of their organization only", () => {
  const { add, place } = placing(4);
  add("a", 2, { memoryMb: 256 });
  add("b", 1, { memoryMb: 256 });
  add("b");
  assert.deepEqual(place(), ["1 of b", "2 of a", "1 of b", ""]);
});

test("runs that must be alone leave processes that can be set apart to other organizations", () => {
  const { quarantine, add, place } = placing(3, { apart: 2 });
  for (const name of ["x", "y"]) {
    quarantine.suspect(`a/${name}`);
    add("a", 1, { name });
  }
  assert.deepEqual(place(), ["", "1 of a", ""]);
  add("b", 1, { memoryMb: 256 });
  assert.deepEqual(place(), ["", "1 of a", "1 of b"]);
});

test("a function that computes all the time runs apart, or among others where no process can be set apart for it", () => {
  const { demands, add, place } = placing(2, { apart: 1 });
  for (const organizationId of ["a", "b"]) demands.usedCpu(`${organizationId}/f`, 5_000);
  add("a", 2);
  assert.deepEqual(place(), ["", "2 of a"]);
  add("b");
  assert.deepEqual(place(), ["1 of b", "2 of a"]);
});
