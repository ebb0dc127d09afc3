import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { CallReport } from "../../src/run/ports.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { makeAttempt, makeCall, makeReport, makeRun, runOnce } from "../../src/ledger/ledger.kit.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import type { Charged } from "../../src/terms/fault.ts";
import { terminal } from "./terminal.ts";

const GUIDE = readFileSync(new URL("../../docs/guides/compare-an-invoice.md", import.meta.url), "utf8");

/** The month of the guide: the number of each order, its day in March 2026, its charge and its price. */
const ORDERS: readonly (readonly [order: string, day: number, charged: Charged, amount: bigint])[] = [
  ["B-1001", 2, "yes", 4_000_000n],
  ["B-1002", 2, "yes", 4_000_000n],
  ["B-1003", 9, "yes", 9_500_000n],
  ["B-1004", 17, "unknown", 4_000_000n],
  ["B-1005", 31, "yes", 4_000_000n],
  ["B-1007", 24, "unknown", 4_000_000n],
];

async function monthOfTheGuide(t: TestContext, isPriced = true) {
  const shell = terminal(t);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const ledger = createLedger({
    dir: join(shell.dataDir, "ledger"),
    clock: systemClock,
    log,
    limits: { reserveBytes: 1 },
  });
  await ledger.ready;
  t.after(() => ledger.close());
  for (const [at, [orderId, day, charged, amount]] of ORDERS.entries()) {
    const sentWallAt = Date.UTC(2026, 2, day, 9);
    const run = makeRun({
      transactionId: `trx_019ca00000007000800000000000000${at + 1}`,
      organizationId: "org_acme",
      startedWallAt: sentWallAt,
    });
    const attempt = makeAttempt({
      charged,
      sentWallAt,
      price: isPriced ? { amount, currency: "EUR" } : null,
      method: "POST",
    });
    const call: Partial<CallReport> = { charged, orderId, credentialId: "cred_bureau", credentialRule: "default" };
    const source = "example_bureau__company_report";
    await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ ...call, source, attempts: [attempt] })] }));
  }
  return shell;
}

/** The commands of the guide, each with what it is said to print. */
function steps(): readonly { readonly command: string; readonly prints: string }[] {
  const pairs = GUIDE.matchAll(/```sh\nnpx datarun ([^\n]+)\n```\n+```text\n([\s\S]*?)```/g);
  return [...pairs].map(([, command, prints]) => ({ command: command!, prints: prints! }));
}

test("every command of the guide to invoices prints what the guide says, in its order", async (t) => {
  const { run, dataDir } = await monthOfTheGuide(t);
  const invoice = join(dataDir, "invoice.csv");
  writeFileSync(invoice, /```csv\n([\s\S]*?)```/.exec(GUIDE)![1]!);
  assert.ok(steps().length >= 5);
  for (const { command, prints } of steps()) {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const { stdout, stderr } = await run(words.map((word) => (word === "invoice.csv" ? invoice : word)));
    if (process.env["PRINT"]) process.stdout.write(`${command}\n${stdout}${stderr}\n`);
    else assert.equal(stdout, prints, command);
  }
});

test("what is wrong with the file or the mapping is said in words", async (t) => {
  const { run, dataDir } = await monthOfTheGuide(t);
  const file = join(dataDir, "latin.csv");
  writeFileSync(file, Buffer.from("Gebühr;Net\n1;2\n", "latin1"));
  const of = async (...words: string[]) => {
    const { code, stderr } = await run(["ledger", "compare", ...words, "--from", "2026-03-01", "--to", "2026-04-01"]);
    assert.notEqual(code, 0);
    return stderr;
  };
  assert.match(await of(join(dataDir, "none.csv"), "--map", "order=A"), /there is no such file/);
  assert.match(await of(dataDir, "--map", "order=A"), /it is a folder/);
  assert.match(await of(file, "--map", "order=A"), /not UTF-8/);
  writeFileSync(file, "A;B\n1;2\n");
  assert.match(
    await of(file, "--map", "foo=A"),
    /^--map must be order, transaction, day, amount, currency, quantity, then = and the name of a column\.\n/,
  );
  assert.match(await of(file, "--map", "order=A", "--map", "order=B"), /names the column for order twice/);
});

test("where no price is known, no amount of ours is shown, not even 0.00", async (t) => {
  const { run, dataDir } = await monthOfTheGuide(t, false);
  const file = join(dataDir, "empty.csv");
  writeFileSync(file, "A,B\n");
  const words = `ledger compare ${file} --map order=A --map amount=B --currency EUR --from 2026-03-01 --to 2026-04-01 --json`;
  const { stdout } = await run(words.split(" "));
  const { differences } = JSON.parse(stdout) as { differences: object[] };
  const none = { difference: "no price", currency: null, lines: "", ours: null, ours_at_most: null, theirs: null };
  assert.deepEqual(
    differences,
    ORDERS.map(([order, , charged], at) => ({
      ...none,
      ...(charged === "unknown" && { difference: "unknown, not billed" }),
      order,
      runs: [`trx_019ca00000007000800000000000000${at + 1}`],
    })),
  );
});
