import type { Ledger, RunRecord } from "./ports.ts";

/** For runs that send nothing, or whose caller does its own recording. */
export const NO_RECORD: RunRecord = {
  intend: () => ({ record: () => {} }),
  noteOrder: () => {},
  close: async () => {},
};

export const NOT_RECORDED: Ledger = { open: () => NO_RECORD };
