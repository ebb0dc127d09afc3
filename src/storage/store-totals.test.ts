import { totalsContract } from "../ledger/totals/totals.kit.ts";
import { ENGINES, newLedgerToSum } from "./both-engines.kit.ts";

for (const engine of ENGINES) totalsContract(engine.name, (t) => newLedgerToSum(engine, t));
