import { historyContract } from "../ledger/history/history.kit.ts";
import { totalsContract } from "../ledger/totals/totals.kit.ts";
import { ENGINES, newLedger } from "./both-engines.kit.ts";

for (const engine of ENGINES) {
  for (const contract of [totalsContract, historyContract])
    contract(engine.name, async (t) => {
      const { store, put, reader } = await newLedger(engine, t);
      return {
        tables: store.ledgerTables,
        verify: () => reader.verify(),
        put: (runs) => Promise.all(runs.map(([run, report]) => put(run, report))),
        prune: (startedBefore) => reader.prune(startedBefore, { unknownToo: true }),
      };
    });
}
