import assert from "node:assert/strict";
import { test } from "node:test";
import type { FunctionProcess } from "./function-process.ts";
import type { Running } from "./running.ts";
import { Schedule, SERVE_MS, type ScheduleOptions } from "./schedule.ts";

/** A schedule over this many processes, none of which exists. */
function scheduling(options: Partial<ScheduleOptions> & { readonly processes: number }) {
  let now = 0;
  let lastId = 0;
  const processes = new Set<FunctionProcess>();
  const schedule = new Schedule(processes, {
    now: () => now,
    memoryMb: 320,
    runsPerProcess: 64,
    waitingPerOrganization: 256,
    ...options,
  });
  const addSpare = (): FunctionProcess => {
    const process = { runs: new Map(), ready: true, retired: false, organizationId: null, limitMb: 0, crowded: false };
    processes.add(process as unknown as FunctionProcess);
    return process as unknown as FunctionProcess;
  };
  for (let count = 0; count < options.processes; count += 1) addSpare();
  const running = (organizationId: string, memoryMb: number): Running =>
    ({ id: (lastId += 1), job: { organizationId, memoryMb } }) as unknown as Running;
  return {
    schedule,
    addSpare,
    advance: (ms: number) => (now += ms),
    /** Adds runs; returns whether the queue took all of them. */
    add: (organizationId: string, count = 1, memoryMb = 64): boolean =>
      Array.from({ length: count }, () => schedule.add(running(organizationId, memoryMb))).every(Boolean),
    /** Starts all runs that can start. Returns the organization and the number of runs of each process. */
    start: (): readonly string[] => {
      while (schedule.next() !== undefined);
      return [...processes].map(({ organizationId, runs }) => `${organizationId} ${runs.size}`);
    },
    /** Ends the runs of a process. */
    empty: (process: FunctionProcess, at = now): void => {
      process.runs.clear();
      process.idleSince = at;
    },
    end: (process: FunctionProcess): void => {
      processes.delete(process);
      schedule.release(process);
    },
    process: (at: number): FunctionProcess => [...processes][at]!,
    of: (owner: string): FunctionProcess => [...processes].find(({ organizationId }) => organizationId === owner)!,
  };
}

test("each organization has a process of its own, and waits if there may be no more", () => {
  const { schedule, add, start } = scheduling({ processes: 2 });
  for (const organizationId of ["a", "b", "c"]) add(organizationId, 2);
  assert.deepEqual(start(), ["a 2", "b 2"]);
  assert.equal(schedule.waiting, 2);
});

test("an organization has a second process for what does not fit into its first, if it leaves as many to others", () => {
  const four = scheduling({ processes: 4, runsPerProcess: 2 });
  four.add("a", 7);
  assert.deepEqual(four.start(), ["a 2", "a 2", "null 0", "null 0"]);
  const two = scheduling({ processes: 2, runsPerProcess: 2 });
  two.add("a", 7);
  assert.deepEqual(two.start(), ["a 2", "null 0"]);
});

test("runs of more than 64 MB raise the limit of their process, and are granted 512 MB together", () => {
  const { add, start, process } = scheduling({ processes: 2 });
  add("a", 3, 256);
  add("a", 1);
  assert.deepEqual(start(), ["a 3", "null 0"]);
  assert.equal(process(0).limitMb, 320 + 2 * 2 * (256 - 64));
});

test("a process that is nearly full, or is to end, gets no further run", () => {
  for (const state of [{ crowded: true }, { retired: true }, { ready: false }]) {
    const { schedule, add, start, process } = scheduling({ processes: 2 });
    add("a");
    start();
    Object.assign(process(0), state);
    add("a");
    assert.deepEqual([start(), schedule.waiting], [["a 1", "null 0"], 1]);
  }
});

test("for an organization without a process the one is given up that has been idle longest", () => {
  const { schedule, add, start, advance, process, empty } = scheduling({ processes: 3 });
  for (const organizationId of ["a", "b", "c"]) add(organizationId);
  start();
  empty(process(1), 5);
  empty(process(2), 3);
  advance(10);
  assert.deepEqual(schedule.toGiveUp(), []);
  add("d");
  start();
  assert.deepEqual(schedule.toGiveUp(), [process(2)]);
});

test("if all are busy, the process that has served longest is reassigned when its time is over", () => {
  const { schedule, add, addSpare, start, advance, process, end } = scheduling({ processes: 2 });
  add("a");
  start();
  advance(10);
  for (const organizationId of ["b", "c"]) add(organizationId);
  start();
  assert.deepEqual(schedule.toGiveUp(), []);
  advance(SERVE_MS - 10);
  const [first] = [process(0)];
  assert.deepEqual(schedule.toGiveUp(), [first]);
  first.retired = true;
  advance(SERVE_MS);
  assert.deepEqual(schedule.toGiveUp(), [], "one is enough for one organization");
  add("a", 2);
  addSpare();
  assert.deepEqual(start(), ["a 1", "b 1", "null 0"], "as long as it exists, its memory is in use");
  end(first);
  assert.deepEqual(start(), ["b 1", "c 1"], "c has waited longer than a");
  assert.equal(schedule.waiting, 2);
});

test("an organization has so many runs waiting and no more, and another one is not refused for them", () => {
  const { add } = scheduling({ processes: 0, waitingPerOrganization: 3 });
  assert.deepEqual([add("a", 3), add("a"), add("b"), add("", 9)], [true, false, true, true]);
});

test("if a process has exceeded its memory limit, fewer runs of its organization share one for some minutes", () => {
  const { schedule, add, addSpare, start, advance, of, end } = scheduling({ processes: 2 });
  for (const runs of [40, 20, 10]) {
    add("a", 40);
    start();
    const its = of("a");
    assert.equal(its.runs.size, runs);
    schedule.reduce(its);
    schedule.clear();
    end(its);
    addSpare();
  }
  for (const organizationId of ["a", "b"]) add(organizationId, 40);
  start();
  assert.deepEqual([of("a").runs.size, of("b").runs.size], [5, 40]);
  advance(120_000);
  start();
  assert.equal(of("a").runs.size, 20);
});
