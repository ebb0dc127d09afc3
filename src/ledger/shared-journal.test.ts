import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { JOURNAL_FILE } from "./journal/journal-file.ts";
import { makeAttempt, makeCall, makeDirectory, makeReport, makeRun, runOnce, startLedger } from "./ledger.kit.ts";

const REFUSED = { code: "request.journal_unavailable" };
/** The number of organizations of each kind: with many runs, and with one. */
const ORGANIZATIONS = 150;
const RUNS_OF_MANY = 3;
const CALLS_OF_LARGE = 80;

test("the last part of the journal is for those with fewer bytes in it, also after a restart", async (t) => {
  const directory = makeDirectory(t);
  const first = await startLedger(t, { directory });
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, at) => at);
  const ofMany = organizations.flatMap((at) => Array.from({ length: RUNS_OF_MANY }, () => `org_many_${at}`));
  const ofFew = organizations.map((at) => `org_few_${at}`);
  await Promise.all([...ofMany, ...ofFew].map((organizationId) => runOnce(first.ledger, makeRun({ organizationId }))));
  const large = makeRun({ organizationId: "org_large" });
  const calls = Array.from({ length: CALLS_OF_LARGE }, (_, ordinal) =>
    makeCall({ ordinal, attempts: [makeAttempt(), makeAttempt({ number: 2 })] }),
  );
  await runOnce(first.ledger, large, makeReport(large, { calls }));
  await first.ledger.close();

  // The journal is a thirty-second of the limit, plus the bytes of a start, within its last part.
  const journalBytesMax = statSync(join(directory, JOURNAL_FILE)).size / (0.85 - 1 / 32);
  const { ledger } = await startLedger(t, { directory, limits: { journalBytesMax } });
  const accepts = (organizationId: string): boolean => {
    const run = makeRun({ organizationId });
    try {
      void ledger.open(run).close(makeReport(run, { calls: [] }));
      return true;
    } catch (thrown) {
      assert.equal((thrown as { code?: unknown }).code, REFUSED.code);
      return false;
    }
  };
  // Each organization tries once, because none has a share until the content of the journal is counted. They try
  // rarely, because accepted runs fill the journal meanwhile.
  for (let asked = 0; accepts(ofMany[RUNS_OF_MANY * asked]!); asked += 1) await sleep(100);
  const found = ["org_large", "org_few_0", "org_new"].map((organizationId) => accepts(organizationId));
  assert.deepEqual(found, [false, true, true]);
});
