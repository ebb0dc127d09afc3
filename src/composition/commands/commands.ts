import type { LastingCommands } from "../../admin/cli/command.ts";

/** The commands that are not verbs: those that run until they are stopped, `check`, `types`, `completion`, `batch` and `apply`. Verbs are found by their files. */
export const COMMANDS: LastingCommands = {
  start: () => import("./start.ts"),
  dev: () => import("./dev.ts"),
  check: () => import("./check.ts"),
  types: () => import("./types.ts"),
  completion: () => import("./completion.ts"),
  simulate: () => import("./simulate.ts"),
  mock: () => import("./mock.ts"),
  batch: () => import("./batch.ts"),
  apply: () => import("./apply.ts"),
  "batch report": () => import("./batch-report.ts"),
};
