import { newJournalToSum } from "../totals/journal-to-sum.kit.ts";
import { historyContract } from "./history.kit.ts";

historyContract("one machine", newJournalToSum);
