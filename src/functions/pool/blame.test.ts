import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Blame } from "./blame.ts";
import { type HostProcess, newApart } from "./host-process.ts";
import { createQuarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";

/** The standing of a function after processes that it ran in have died in this way, over and over. */
function standingAfter(how: string, besides: readonly string[] = [], apart: HostProcess["apart"] = null): string {
  const quarantine = createQuarantine(new FakeClock());
  const blame = new Blame(quarantine, { info: () => {}, warn: () => {}, error: () => {} });
  for (let time = 0; time < 3; time += 1) {
    const runs = ["org/f", ...besides].map((isolate, at) => [at, { job: { isolate } } as unknown as Running] as const);
    blame.ofDeath({ runs: new Map(runs), blamed: new Set(), apart } as unknown as HostProcess, how);
  }
  return quarantine.standingOf("org/f");
}

test("a process that the kernel takes strikes nobody, however often: who was in it runs alone", () => {
  assert.equal(standingAfter("SIGKILL"), "alone");
});

test("who ends its process is quarantined if nobody else was in it, or if it ran alone when the kernel took it", () => {
  assert.equal(standingAfter("SIGSEGV"), "quarantined");
  assert.equal(standingAfter("SIGKILL", [], { ...newApart(), exclusive: true }), "quarantined");
  assert.equal(standingAfter("SIGSEGV", ["org/g"]), "alone");
});
