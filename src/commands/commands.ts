import type { LastingCommands } from "../cli/command.ts";

/** The commands that go on until they are stopped. All others are verbs, and are found by their files. */
export const COMMANDS: LastingCommands = {
  start: () => import("./start.ts"),
  dev: () => import("./dev.ts"),
  simulate: () => import("./simulate.ts"),
};
