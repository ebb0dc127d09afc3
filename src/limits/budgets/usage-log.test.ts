import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Charged } from "../../terms/fault.ts";
import { settleLeft } from "./read-usage.ts";
import { openUsageLog } from "./usage-log.ts";

const USE = { budgetId: "bud_1", periodFrom: 0, lease: "s1" };

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function directory(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "datarun-notes-"));
  t.after(() => rmSync(made, { recursive: true }));
  return join(made, "budgets");
}

/** A start that writes to the log and is killed. */
function killedIn(folder: string, start = "s1"): void {
  const notes = openUsageLog(folder, start);
  notes.begin();
  const [one, other] = [notes.of(USE), notes.of({ ...USE, budgetId: "bud_2" })];
  const first = [1, 2, 3].map((at) => one.begin("trx_0", `0/${at}`, 1n, 1n));
  first.push(one.begin("trx_1", "0/1", 1n, 1n));
  one.begin("trx_1", "0/2", 2n, 3n);
  notes.keep();
  for (const at of [0, 1, 3, 2]) one.end(first[at]!, 2n);
  one.begin("trx_3", "0/1", 4n, 6n);
  one.begin("trx_3", "1/1", 4n, 10n);
  one.begin("trx_4", "0/1", 3n, 13n);
  other.begin("trx_2", "0/1", 5n, 5n);
  notes.keepSequence(2);
  other.begin("trx_2", "0/2", 5n, 10n);
}

const LEFT = [
  {
    start: "s1",
    sequence: 2,
    counts: [
      {
        ...USE,
        used: 13n,
        open: [
          { id: "trx_1/0/2", units: 2n },
          { id: "trx_3/0/1", units: 4n },
          { id: "trx_3/1/1", units: 4n },
          { id: "trx_4/0/1", units: 3n },
        ],
      },
      { ...USE, budgetId: "bud_2", used: 5n, open: [{ id: "trx_2/0/1", units: 5n }] },
    ],
  },
];

test("the next start reads what a killed one has used, until it is in the store", (t) => {
  const folder = directory(t);
  killedIn(folder);
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), LEFT);
  const notes = openUsageLog(folder, "s3");
  notes.begin();
  notes.recovered();
  assert.deepEqual(readdirSync(folder), ["s3.notes"]);
  notes.end();
  assert.deepEqual(readdirSync(folder), []);
});

test("a line that was not written to its end is left out", (t) => {
  const folder = directory(t);
  killedIn(folder);
  appendFileSync(join(folder, "s1.notes"), '[2,"10",[],4,"trx_2/0/2","5"');
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), LEFT);
});

test("of a lease that goes on in a new period, only that period is left", (t) => {
  const folder = directory(t);
  const notes = openUsageLog(folder, "s1");
  notes.begin();
  notes.of(USE).begin("trx_1", "0/1", 1n, 1n);
  notes.of({ ...USE, periodFrom: 7 }).begin("trx_1", "0/2", 2n, 2n);
  notes.keep();
  const use = { ...USE, periodFrom: 7, used: 2n, open: [{ id: "trx_1/0/2", units: 2n }] };
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), [{ start: "s1", sequence: 0, counts: [use] }]);
});

test("what could not be written is written with what comes next", (t) => {
  const folder = directory(t);
  const notes = openUsageLog(folder, "s1");
  assert.throws(
    () => {
      notes.of(USE).begin("trx_1", "0/1", 1n, 1n);
      notes.keep();
    },
    { code: "ENOENT" },
  );
  notes.begin();
  const use = { ...USE, used: 1n, open: [{ id: "trx_1/0/1", units: 1n }] };
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), [{ start: "s1", sequence: 0, counts: [use] }]);
});

test("while notes cannot be written, what they would say does not pile up", (t) => {
  const notes = openUsageLog(directory(t), "s1");
  const lease = notes.of(USE);
  const before = heapBytes();
  for (let times = 0; times < 1_000; times += 1) {
    const id = Buffer.alloc(10_000, 97).toString();
    lease.end(lease.begin(id, "0/1", 1n, 1n), 0n);
    assert.throws(() => notes.keep(), { code: "ENOENT" });
  }
  assert.ok(heapBytes() - before < 2_000_000, `${heapBytes() - before} bytes`);
  lease.end(null, 1n);
});

test("after the machine was started again, notes are not believed: they may be incomplete", (t) => {
  const folder = directory(t);
  killedIn(folder);
  const file = join(folder, "s1.notes");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^boot .*/, "boot another"));
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), []);
});

test("notes in a copy of the directory are not believed, and those in one that was moved are", (t) => {
  const folder = directory(t);
  killedIn(folder);
  const [copy, moved] = [`${folder}-copy`, `${folder}-moved`];
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  assert.deepEqual(openUsageLog(copy, "s2").leftBehind(), []);
  renameSync(folder, moved);
  assert.deepEqual(openUsageLog(moved, "s2").leftBehind(), LEFT);
});

test("notes of another version, whose numbers may mean something else, are not believed", (t) => {
  for (const [written, instead] of [
    [/, form \d+$/m, ""],
    [/^\{"file":.*\n/m, ""],
    [/^\{"turn":.*\n/gm, ""],
  ] as const) {
    const folder = directory(t);
    killedIn(folder);
    const file = join(folder, "s1.notes");
    writeFileSync(file, readFileSync(file, "utf8").replace(written, instead));
    assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), [], String(written));
  }
});

const LONG = "trx_1".padEnd(200, "x");

test("a long usage log is rewritten, with the use and the open requests", (t) => {
  const folder = directory(t);
  const notes = openUsageLog(folder, "s1");
  notes.begin();
  const lease = notes.of(USE);
  lease.begin("trx_0", "0/1", 1n, 1n);
  notes.keepSequence(7);
  for (let used = 2n; used <= 20_000n; used += 1n) {
    const noted = lease.begin(LONG, "0/1", 1n, used);
    notes.keep();
    if (used < 20_000n) lease.end(noted, used);
  }
  assert.ok(readFileSync(join(folder, "s1.notes")).length < 2_200_000);
  assert.deepEqual(openUsageLog(folder, "s2").leftBehind(), [
    {
      start: "s1",
      sequence: 7,
      counts: [
        {
          ...USE,
          used: 20_000n,
          open: [
            { id: "trx_0/0/1", units: 1n },
            { id: `${LONG}/0/1`, units: 1n },
          ],
        },
      ],
    },
  ]);
});

test("notes on very many budgets are not rewritten at each note", (t) => {
  const folder = directory(t);
  const notes = openUsageLog(folder, "s1");
  notes.begin();
  const files = new Set<number>();
  for (let at = 0; at < 8_000; at += 1) {
    const lease = notes.of({ ...USE, budgetId: `bud_${at}`, lease: "s1".padEnd(400, "x") });
    lease.begin(`trx_${at}`, "0/1", 1n, 1n);
    notes.keep();
    files.add(statSync(join(folder, "s1.notes")).ino);
  }
  assert.ok(readFileSync(join(folder, "s1.notes")).length > 3_000_000);
  assert.ok(files.size < 10, `${files.size} files`);
});

test("a request that the journal says was not charged is free, and any other keeps what it has reserved", async () => {
  const open = ["yes", "no", "unknown", "nowhere"].map((id, at) => ({ id, units: 10n ** BigInt(at) }));
  const left = [{ start: "s1", sequence: 7, counts: [{ ...USE, used: 2_222n, open }] }];
  const charges: Record<string, Charged> = { yes: "yes", no: "no", unknown: "unknown" };
  const settled = await settleLeft(left, async (id) => charges[id] ?? null);
  assert.deepEqual(settled, [{ start: "s1", sequence: 7, counts: [{ ...USE, used: 2_212n }] }]);
});
