import type { Ledger, RunRecord } from "./ports.ts";

/** The record of a run that sends nothing, or whose caller records it elsewhere. */
export const NO_RECORD: RunRecord = {
  intend: () => ({ record: () => {} }),
  recordOrder: () => {},
  close: async () => {},
};

export const NOT_RECORDED: Ledger = { open: () => NO_RECORD };
