import { exportRuns } from "../read/export-runs.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Fault } from "../../terms/fault.ts";
import { makeAttempt, makeCall, makeReport, makeRun, query, runOnce, startLedger } from "../ledger.kit.ts";
import { openJournalReader } from "../read/journal-reader.ts";
import { intentFileName } from "./intent-files.ts";

const AT = 1_772_359_200_000;

/*
 * Checksums of runs in existing ledgers. They must stay the same in every version, or every run of every ledger would
 * count as damaged: no change to the code may change a number here.
 */
test("a run has the same checksum as in every earlier version", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const timedOut = makeCall({
    source: "bell__phone\u0000\\",
    ordinal: 1,
    success: false,
    match: false,
    fault: new Fault("source.timeout", { afterMs: 100 }),
    credentialId: "cred_1",
    credentialRule: "default",
    charged: "unknown",
    startedAfterMs: 3.6,
    tookMs: -0,
    attempts: [
      makeAttempt({ charged: "unknown", status: null, tookMs: null, sentWallAt: AT + 4 }),
      makeAttempt({ number: 2, charged: "no", sentWallAt: AT + 70, method: "POST" }),
    ],
  });
  const ofNoSource = makeCall({
    source: "acme\nnobody",
    ordinal: 2,
    success: false,
    match: false,
    fault: new Fault("source.unknown"),
    charged: "no",
    attempts: [],
  });
  const answered = makeCall({ attempts: [makeAttempt({ sentWallAt: AT + 2 })] });
  const data = makeRun({ transactionId: "trx_1", startedWallAt: AT });
  await runOnce(ledger, data, makeReport(data, { calls: [timedOut, answered, ofNoSource], clientGone: true }));
  const func = makeRun({
    transactionId: "trx_2",
    startedWallAt: AT,
    kind: "func",
    functionId: "dfunc_x",
    simulated: true,
  });
  await runOnce(ledger, func, makeReport(func, { calls: [], functionFault: "function.timeout", tookMs: Number.NaN }));
  await ledger.close();
  writeFileSync(
    join(directory, intentFileName(90)),
    `["run","trx_3","func","org_a","wfl_a","tok_a","prod","eu",1,"dfunc_x",${AT}]
["attempt","trx_3",0,1,"acme__people","https://api.acme.example","GET","cred_1","default",${AT + 1},0]
["attempt","trx_3",0,2,"acme__people","https://api.acme.example","GET","cred_1","default",${AT + 2},1]
["attempt","trx_4",0,1,"acme__people","https://api.acme.example","GET",null,"none",${AT + 3}]
["attempt","trx_5","0",1,17,null,"GET",null,"none","soon"]
`,
  );
  const second = await startLedger(t, { directory });
  await second.ledger.close();
  const reader = openJournalReader({ dir: directory });
  const settled = {
    transactionId: "trx_1",
    ordinal: 1,
    charged: "no",
    decidedBy: "ada",
    decidedAt: AT,
    note: "a\n",
  } as const;
  const before = checksumsIn(directory);
  await reader.reconcile(settled);
  assert.deepEqual([...before, ...checksumsIn(directory).slice(0, 1)], EXPECTED);
  assert.equal((await reader.verify()).ok, 5);
  reader.close();
});

const EXPECTED = [
  ["trx_1", -1_103_780_643],
  ["trx_2", -1_174_010_105],
  ["trx_3", 1_877_002_257],
  ["trx_4", 195_327_357],
  ["trx_5", 453_910_879],
  // After its charges were settled.
  ["trx_1", -1_373_174_251],
];

function checksumsIn(directory: string): (readonly [unknown, unknown])[] {
  return query(directory, "SELECT transaction_id, checksum FROM ledger_runs ORDER BY transaction_id").map(
    (row) => [row["transaction_id"], row["checksum"]] as const,
  );
}

test("a run is exported with the same names and in the same order as always", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun({ transactionId: "trx_1", startedWallAt: AT });
  await runOnce(
    ledger,
    run,
    makeReport(run, { calls: [makeCall({ attempts: [makeAttempt({ sentWallAt: AT + 2 })] })] }),
  );
  const reader = openJournalReader({ dir: directory });
  t.after(() => reader.close());
  const texts = { csv: "", jsonl: "" };
  for (const format of ["csv", "jsonl"] as const)
    for await (const { text } of exportRuns(reader, {}, format)) texts[format] += text;
  assert.deepEqual(texts, EXPORTED);
});

const EXPORTED = {
  csv: `transaction_id,state,kind,organization_id,workflow_id,token_id,context,region,simulated,function_id,\
client_request_id,trace_id,started_at,function_version,build,took_ms,\
client_gone,function_fault,unknown_sources,call,source,outcome,fault_code,fault_kind,charged,credential_id,credential_rule,\
call_started_after_ms,call_took_ms,output_bytes,order_id,budget_id,source_version,attempt,origin,method,sent_at,status,attempt_took_ms,attempt_charged,\
price,currency,amount,amount_at_most\r
trx_1,ended,data,org_a,wfl_a,tok_a,prod,eu,0,,,,2026-03-01T10:00:00.000Z,,,25,0,,0,0,acme__people,match,,,yes,,none,1,20,300,\
,,,1,https://api.acme.example,GET,2026-03-01T10:00:00.002Z,200,19,yes,,,,\r
`,
  jsonl: `{"run":{"transaction_id":"trx_1","state":"ended","kind":"data","organization_id":"org_a","workflow_id":"wfl_a",\
"token_id":"tok_a","context":"prod","region":"eu","simulated":0,"function_id":null,"client_request_id":null,\
"trace_id":null,"started_at":1772359200000,"start_id":null,"function_version":null,"build":null,"took_ms":25,\
"client_gone":0,"function_fault":null,"has_unknown":0,"verdicts":2,"unknown_sources":0,"unknown_source_names":null,\
"checksum":466913784},"calls":[{"transaction_id":"trx_1","ordinal":0,"source":"acme__people","success":1,"match":1,\
"fault_code":null,"fault_kind":null,"charged":"yes","charges":2,"credential_id":null,"credential_rule":"none",\
"started_after_ms":1,"took_ms":20,"output_bytes":300,"order_id":null,"budget_id":null,"source_version":null}],"attempts":[{"transaction_id":"trx_1","ordinal":0,"number":1,\
"origin":"https://api.acme.example","method":"GET","sent_at":1772359200002,"status":200,"took_ms":19,"charged":"yes",\
"price":null,"currency":null}],\
"reconciliations":[]}
`,
};
