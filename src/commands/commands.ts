import type { LastingCommands } from "../cli/command.ts";

/** The commands that run until they are stopped. All others are verbs, which are found by their files. */
export const COMMANDS: LastingCommands = {
  start: () => import("./start.ts"),
  dev: () => import("./dev.ts"),
  simulate: () => import("./simulate.ts"),
  mock: () => import("./mock.ts"),
};
