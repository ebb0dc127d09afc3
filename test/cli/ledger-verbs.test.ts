import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { createLedger } from "../../src/ledger/ledger.ts";
import { makeAttempt, makeCall, makeReport, makeRun, runOnce } from "../../src/ledger/ledger.kit.ts";
import type { Json } from "../../src/terms/json/json.ts";
import { readAll } from "../../src/row-files/row-files.kit.ts";
import { Fault } from "../../src/terms/fault.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { openStore } from "../../src/storage/store.ts";
import { assertReadElsewhere } from "./parquet-elsewhere.ts";
import { terminal, type Terminal } from "./terminal.ts";

const MARCH = Date.UTC(2026, 2, 10);

/** A terminal on a ledger of two runs, one of them with a charge that nobody knows. The service still runs. */
async function ledgerTerminal(
  t: TestContext,
): Promise<Terminal & { readonly plain: string; readonly unsettled: string }> {
  const made = terminal(t);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const ledger = createLedger({
    dir: join(made.dataDir, "ledger"),
    clock: systemClock,
    log,
    limits: { reserveBytes: 1 },
  });
  await ledger.ready;
  t.after(() => ledger.close());
  const plain = makeRun({ startedWallAt: MARCH + 1_000 });
  await runOnce(
    ledger,
    plain,
    makeReport(plain, { calls: [makeCall({ attempts: [makeAttempt({ sentWallAt: MARCH })] })] }),
  );
  const unsettled = makeRun({ startedWallAt: MARCH });
  const attempts = [makeAttempt({ status: null, charged: "unknown", sentWallAt: MARCH })];
  const fault = new Fault("source.timeout");
  const timedOut = makeCall({ success: false, match: false, fault, charged: "unknown", attempts });
  await runOnce(ledger, unsettled, makeReport(unsettled, { calls: [timedOut] }));
  return { ...made, plain: plain.transactionId, unsettled: unsettled.transactionId };
}

test("ledger list has the newest run first, says what is to be settled, narrows, and pages", async (t) => {
  const { json, run, plain, unsettled } = await ledgerTerminal(t);
  const ids = async (...args: string[]): Promise<string[]> =>
    (await json<{ runs: { transaction_id: string }[] }>(["ledger", "list", ...args])).runs.map(
      (line) => line.transaction_id,
    );
  assert.deepEqual(await ids(), [plain, unsettled]);
  assert.deepEqual(await ids("--charged", "unknown"), [unsettled]);
  assert.deepEqual(await ids("--failure", "timeout", "--min-duration-ms", "1"), [unsettled]);
  assert.deepEqual(await ids("--charged", "yes"), [plain]);
  assert.deepEqual(await ids("--from", "2026-03-10T00:00:01Z"), [plain]);
  assert.deepEqual(await ids("--to", "2026-03-10"), []);
  const first = await json<{ next: string }>(["ledger", "list", "--limit", "1"]);
  assert.deepEqual(await ids("--after", first.next), [unsettled]);
  const whole = await run(["ledger", "list"]);
  assert.match(whole.stdout, /^to_settle {2}1\n\nTRANSACTION ID/);
  assert.match(whole.stderr, /^1 of these runs has an unknown charge\. To list it, give --charged unknown\n$/);
  assert.equal((await run(["ledger", "list", "--charged", "unknown"])).stderr, "");
  const wrong = await run(["ledger", "list", "--from", "yesterday"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /must be a day/);
  assert.equal((await run(["ledger", "list", "--from", "2026-13-45"])).code, 1);
  assert.equal((await run(["ledger", "list", "--after", "x"])).code, 2);
});

test("ledger show draws the run, and says so when there is none", async (t) => {
  const { json, run, unsettled } = await ledgerTerminal(t);
  const shown = await run(["ledger", "show", unsettled]);
  assert.equal(shown.code, 0);
  assert.match(shown.stdout, new RegExp(`^${unsettled}  data\n`));
  assert.match(shown.stdout, /acme__people \| *x+ *\| +20 ms {2}failed: timeout/);
  const value = await json<{ run: { started_at: string }; calls: object[] }>(["ledger", "show", unsettled]);
  assert.equal(value.run.started_at, "2026-03-10T00:00:00.000Z");
  assert.equal(value.calls.length, 1);
  const none = await run(["ledger", "show", "trx_none"]);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no such run/);
});

test("ledger reconcile settles a charge in the name of who ran it, and the audit trail knows", async (t) => {
  const { json, run, plain, unsettled } = await ledgerTerminal(t);
  const { requests } = await json<{ requests: { transaction_id: string; call: number }[] }>(["ledger", "unknown"]);
  assert.deepEqual(
    requests.map((one) => [one.transaction_id, one.call]),
    [[unsettled, 0]],
  );
  const decision = ["--call", "0", "--charged", "no", "--note", "not on invoice 7"];
  const settled = await json<object>(["ledger", "reconcile", unsettled, ...decision]);
  assert.deepEqual(settled, { transaction_id: unsettled, call: 0, requests: 1, call_charged: "no" });
  assert.match(
    (await run(["ledger", "show", unsettled])).stdout,
    /settled as no for request 1 by .*: not on invoice 7/,
  );
  assert.match((await run(["audit", "list"])).stdout, /ledger reconcile/);
  await json<object>(["ledger", "reconcile", plain, ...decision]);
  const shown = (await run(["ledger", "show", plain])).stdout;
  assert.match(
    shown,
    /call 0: charged no\n +recorded as yes for request 1\n +settled as no for request 1 by .*: not on invoice 7/,
  );
  const refused = await run(["ledger", "reconcile", plain, "--attempt", "2", ...decision]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Call 0 made 1 request: there is no request 2\./);
});

test("ledger unknown says so if there are more requests to settle than it shows", async (t) => {
  const { run, plain } = await ledgerTerminal(t);
  await run(["ledger", "reconcile", plain, "--call", "0", "--charged", "unknown", "--note", "asked the vendor"]);
  const all = await run(["ledger", "unknown", "--limit", "2"]);
  assert.deepEqual([all.stdout.split("\n").length, all.stderr], [4, ""]);
  const first = await run(["ledger", "unknown", "--limit", "1"]);
  assert.match(first.stdout, /^next +\d+\.trx_.*\n\nTRANSACTION ID .*\ntrx_.*\n$/);
  assert.match(first.stderr, /There are more\. To see them, give --after \d+\.trx_/);
});

test("where no service has run yet, ledger summary counts the live tests, and lists say that there is no ledger", async (t) => {
  const { json, run, dataDir } = terminal(t);
  await json(["org", "create", "Acme"]);
  const missing = await run(["ledger", "summary", "2026-03"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^There is no ledger in .*\. A service makes it when it starts\.\n$/);
  assert.equal((await run(["ledger", "list"])).stderr, missing.stderr);

  const store = await openStore({ dataDir, clock: systemClock });
  for (const state of ["about to ask", "asked"]) {
    const cost = { currency: null, amount: "0", amount_at_most: "0", unpriced: 1 };
    const detail = { live: true, transaction_id: "trx_1", cred_id: null, state, charges: { yes: 1 }, cost };
    const act = { wallAt: MARCH, who: "ada", via: "cli", what: "source test" } as const;
    await store.admin.recordAct(act, { organizationId: null, subjectId: "acme__people", detail });
  }
  await store.close();
  const summed = await run(["ledger", "summary", "2026-03"]);
  assert.equal(summed.code, 0);
  assert.match(summed.stdout, /^acme__people +- +- +- +- +none +1 +1 +0 +0 +1 +1 +- +- +-$/m);
  assert.match(
    summed.stderr,
    /^There is no ledger in .*\. A service makes it when it starts\. Only live tests are counted\.\n$/,
  );
});

test("ledger summary and prune answer for a month and delete what is old", async (t) => {
  const { json, unsettled } = await ledgerTerminal(t);
  const { charges } = await json<{ charges: object[] }>(["ledger", "summary", "2026-03"]);
  const line = {
    source: "acme__people",
    organization_tuid: "org_a",
    organization: null,
    cred_id: null,
    cred_name: null,
    credential: "none",
  };
  assert.deepEqual(charges, [
    {
      ...line,
      requests: 2,
      charged: 1,
      not_charged: 0,
      unknown: 1,
      live_tests: 0,
      unpriced: 2,
      currency: null,
      amount: null,
      amount_at_most: null,
    },
  ]);
  const sumOf = (org: string) =>
    json<{ charges: object[]; totals: object[] }>(["ledger", "summary", "2026-03", "--org", org]);
  assert.deepEqual((await sumOf("org_a")).charges, charges);
  assert.deepEqual(await sumOf("org_b"), { charges: [], totals: [], vendors: [] });
  const pruned = await json<object>(["ledger", "prune", "--before", "2026-03-11"]);
  assert.deepEqual(pruned, { deleted: 1, kept_unknown: 1, kept_undrained: 0 });
  const { runs } = await json<{ runs: { transaction_id: string }[] }>(["ledger", "list"]);
  assert.deepEqual(
    runs.map((one) => one.transaction_id),
    [unsettled],
  );
});

test("ledger history shows groups and steps, extends the time to whole steps, and refuses what would take long", async (t) => {
  const { json, run } = await ledgerTerminal(t);
  const span = ["--from", "2026-03-10T00:00:00.500Z", "--to", "2026-03-10T06:00:01Z"];
  const { stdout } = await run(["ledger", "history", ...span]);
  const [totals, steps] = stdout.split("\n\n").map((table) => table.split("\n").filter(Boolean));
  assert.match(totals![0]!, /^GROUP +CALLS +MATCH +NO MATCH +FAILED +REJECTED +NO CREDENTIAL +UNKNOWN +P50 MS/);
  assert.match(totals![1]!, /^acme__people +2 +1 +0 +1 +0 +0 +0 +\d+ /);
  assert.match(steps![1]!, /^2026-03-10T00:00:00.000Z +2 /);
  const found = await json<Record<string, Json>>(["ledger", "history", "--by", "vendor", ...span]);
  const { from, to, complete_from: completeFrom, more_groups: more } = found;
  const whole = ["2026-03-10T00:00:00.000Z", "2026-03-10T07:00:00.000Z", "2026-03-10T00:00:00.000Z", 0];
  assert.deepEqual([from, to, completeFrom, more], whole);
  assert.equal(
    (await run(["ledger", "history", "--by", "token", ...span])).stdout.split("\n")[1]!.slice(0, 5),
    "tok_a",
  );
  const saysOf = async (...args: string[]): Promise<string> => (await run(["ledger", "history", ...args])).stderr;
  const month = ["--from", "2026-02-01", "--to", "2026-03-01"];
  assert.match(await saysOf(...month), /^With --step hour the time can be at most 400 hours: use --step day/);
  assert.match(await saysOf("--step", "minute", ...month), /at most 24 hours: use --step day/);
  assert.match(
    await saysOf("--step", "day", "--from", "2024-01-01", "--to", "2026-01-01"),
    /400 days: give a shorter time/,
  );
  const narrow = ["--org", "org_a", "--function", "dfunc_a"];
  assert.match(
    await saysOf("--step", "day", ...narrow, ...month),
    /With these options the time can be at most 24 hours/,
  );
  assert.match(await saysOf("--by", "function", "--source", "acme__people"), /give another --by/);
  assert.match(await saysOf("--by", "version"), /Give --source or --function too/);
});

test("ledger count has the number of runs that ledger list lists, for every filter", async (t) => {
  const { json, run } = await ledgerTerminal(t);
  const span = ["--from", "2026-03-01", "--to", "2026-04-01"];
  const filters = [
    [],
    ["--org", "org_a"],
    ["--source", "acme__people"],
    ["--outcome", "failed"],
    ["--failure", "timeout"],
    ["--charged", "unknown"],
    ["--min-duration-ms", "1"],
    ["--min-duration-ms", "80000000"],
    ["--source", "acme__people", "--failure", "timeout", "--charged", "unknown"],
  ];
  for (const filter of filters) {
    const { runs } = await json<{ runs: object[] }>(["ledger", "list", ...filter, ...span]);
    const counted = await json<{ total: { runs: number }; points: { runs: number }[] }>([
      "ledger",
      "count",
      "--step",
      "day",
      ...filter,
      ...span,
    ]);
    const sum = counted.points.reduce((before, point) => before + point.runs, 0);
    assert.deepEqual([counted.total.runs, sum], [runs.length, runs.length], filter.join(" "));
  }
  const { stdout } = await run(["ledger", "count", "--step", "day", ...span]);
  assert.match(stdout, /^AT +RUNS +FAILED +UNKNOWN +MATCH +NO MATCH +NO CALLS$/m);
  assert.match((await run(["ledger", "count", ...span])).stderr, /^With --step hour the time can be at most 400 hours/);
});

test("ledger export makes a new file for its owner alone, and never writes over one", async (t) => {
  const { json, run, dataDir } = await ledgerTerminal(t);
  const file = join(dataDir, "runs.csv");
  const { bytes } = await json<{ bytes: number }>(["ledger", "export", file]);
  assert.equal(statSync(file).size, bytes);
  assert.equal(statSync(file).mode & 0o077, 0);
  assert.equal(readFileSync(file, "utf8").split("\r\n").length, 4);
  const again = await run(["ledger", "export", file]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /exists already/);
});

test("ledger export as Parquet has the cells of CSV, with times, flags and exact amounts", async (t) => {
  const { run, json, dataDir } = await ledgerTerminal(t);
  const [csv, parquet] = [join(dataDir, "runs.csv"), join(dataDir, "runs.parquet")];
  await json(["ledger", "export", csv]);
  const { bytes, format } = await json<{ bytes: number; format: string }>([
    "ledger",
    "export",
    parquet,
    "--format",
    "parquet",
  ]);
  assert.deepEqual([statSync(parquet).size, format], [bytes, "parquet"]);
  const [lines, rows] = [await readAll(csv, "csv"), await readAll(parquet, "parquet")];
  assert.equal(rows.length, 2);
  for (const [at, row] of rows.entries()) {
    const line = lines[at]!;
    assert.ok("values" in row && "values" in line);
    assert.deepEqual(Object.keys(row.values), Object.keys(line.values));
    assert.match(row.values["started_at"] as string, /^2026-03-10T00:00:0\d\.000Z$/);
    assert.equal(row.values["simulated"], false);
    for (const [name, value] of Object.entries(line.values)) {
      const found: Json = row.values[name] ?? null;
      const isAmount = ["price", "amount", "amount_at_most"].includes(name);
      const asCsv: string | null =
        typeof found === "boolean"
          ? String(Number(found))
          : found === null || typeof found === "string"
            ? found
            : JSON.stringify(found);
      assert.equal(isAmount && asCsv !== null ? asCsv.replace(/0{1,4}$/, "") : asCsv, value, name);
    }
  }
  await assertReadElsewhere(t, parquet, { rows: 2, moments: ["started_at"], amounts: ["price", "amount"] });
  const printed = await run(["ledger", "export", "--format", "parquet", "--from", "2027-01-01"]);
  assert.equal(printed.code, 0);
  assert.match(printed.stdout, /^PAR1[^]+PAR1$/);
});

test("ledger verify says that all is as it was written, and names what is not; so does every verb that meets it", async (t) => {
  const { json, run, dataDir, plain, unsettled } = await ledgerTerminal(t);
  const sound = await run(["ledger", "verify"]);
  assert.deepEqual([sound.code, sound.stdout], [0, "ok 2 runs\n"]);
  const path = join(dataDir, "ledger", "journal.db");
  const alter = (sql: string): void => {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec(sql);
    database.close();
  };
  alter(`UPDATE runs SET took_ms = took_ms + 64 WHERE transaction_id = '${plain}'`);

  const damaged = await run(["ledger", "verify"]);
  assert.equal(damaged.code, 1);
  assert.equal(
    damaged.stdout,
    `${plain}  altered: its rows are not what was written\n1 damaged, 0 missing\nok 1 run\n`,
  );
  const shown = await run(["ledger", "show", plain]);
  assert.equal(shown.code, 1);
  assert.match(shown.stdout, /^The record of this run is damaged: its rows are not what was written\./);
  assert.match(shown.stdout, /"took_ms": 89/);
  const list = await run(["ledger", "list"]);
  assert.match(list.stderr, new RegExp(`The record of ${plain} is damaged and left out`));
  const { runs } = await json<{ runs: { transaction_id: string }[] }>(["ledger", "list"]);
  assert.deepEqual(
    runs.map((one) => one.transaction_id),
    [unsettled],
  );
  const file = join(dataDir, "runs.jsonl");
  const exported = await run(["ledger", "export", file, "--format", "jsonl"]);
  assert.equal(exported.code, 1);
  assert.match(exported.stderr, new RegExp(`1 run is damaged: the export has only its id, ${plain}\\.`));
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { run: { transaction_id: string; state: string } }).run);
  assert.deepEqual(
    lines.find(({ transaction_id: id }) => id === plain),
    { transaction_id: plain, state: "damaged" },
  );
  assert.equal(lines.length, 2);
  const table = join(dataDir, "runs.parquet");
  assert.equal((await run(["ledger", "export", table, "--format", "parquet"])).code, 1);
  const rows = (await readAll(table, "parquet")).map((row) => ("values" in row ? row.values : {}));
  const ofDamaged = rows.find(({ transaction_id: id }) => id === plain);
  assert.deepEqual(
    Object.entries(ofDamaged!).filter(([, value]) => value !== null),
    [
      ["transaction_id", plain],
      ["state", "damaged"],
    ],
  );

  alter(`UPDATE runs SET started_at = 9223372036854775807 WHERE transaction_id = '${unsettled}'`);
  const unreadable = await run(["ledger", "verify"]);
  assert.match(unreadable.stdout, new RegExp(`${unsettled}  unreadable: its rows cannot be read any more`));
  const none = await run(["ledger", "show", unsettled]);
  assert.deepEqual([none.code, none.stderr], [1, "The record of this run is damaged, and cannot be read any more.\n"]);
});

test("a journal that is not a database any more is named so by every verb", async (t) => {
  const { run, dataDir } = terminal(t);
  mkdirSync(join(dataDir, "ledger"), { recursive: true });
  writeFileSync(join(dataDir, "ledger", "journal.db"), "not a database, by the look of it ".repeat(200));
  for (const args of [["verify"], ["list"], ["show", "trx_1"], ["export", join(dataDir, "runs.csv")], ["unknown"]]) {
    const said = await run(["ledger", ...args]);
    assert.equal(said.code, 1);
    assert.match(
      said.stderr,
      /^The journal in .* is damaged, and nothing of it can be read: file is not a database\.\n$/,
    );
  }
});
