import type { TestContext } from "node:test";
import { accessContract } from "./access.kit.ts";
import { adminContract } from "./admin.kit.ts";
import { budgetsContract } from "./budgets.kit.ts";
import { credentialsContract } from "./credentials.kit.ts";
import { keysContract } from "./keys.kit.ts";
import { leasesContract } from "./leases.kit.ts";
import { ledgerActivityContract } from "../ledger/read/ledger-activity.kit.ts";
import { ledgerMoneyContract } from "../ledger/read/ledger-money.kit.ts";
import { ledgerReaderContract } from "../ledger/read/ledger-reader.kit.ts";
import { settledChargesContract } from "../ledger/read/settled-charges.kit.ts";
import { replyShapesContract } from "./reply-shapes.kit.ts";
import { shadowsContract } from "./shadows.kit.ts";
import { versionsContract } from "./versions.kit.ts";
import { ledgerContract } from "./ledger-contract.kit.ts";
import { ENGINES, newLedger } from "./both-engines.kit.ts";

/** The same guarantees on every engine. */
for (const engine of ENGINES) {
  accessContract(engine);
  credentialsContract(engine);
  adminContract(engine);
  keysContract(engine);
  ledgerContract(engine);
  leasesContract(engine);
  budgetsContract(engine);
  versionsContract(engine);
  shadowsContract(engine);
  replyShapesContract(engine);
  const newOne = (t: TestContext) => newLedger(engine, t);
  ledgerReaderContract(engine.name, newOne);
  settledChargesContract(engine.name, newOne);
  ledgerMoneyContract(engine.name, newOne);
  ledgerActivityContract(engine.name, newOne);
}
