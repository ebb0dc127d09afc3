import { historyContract } from "../ledger/history/history.kit.ts";
import { countRunsContract } from "../ledger/read/count-runs.kit.ts";
import { ENGINES, newLedgerToSum } from "./both-engines.kit.ts";

for (const engine of ENGINES) {
  historyContract(engine.name, (t) => newLedgerToSum(engine, t));
  countRunsContract(engine.name, (t) => newLedgerToSum(engine, t));
}
