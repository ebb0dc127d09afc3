import { countRunsContract } from "../read/count-runs.kit.ts";
import { newJournalToSum } from "../totals/journal-to-sum.kit.ts";
import { historyContract } from "./history.kit.ts";

historyContract("one machine", newJournalToSum);
countRunsContract("one machine", newJournalToSum);
