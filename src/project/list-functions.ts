import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DescribedFunction, FunctionListing } from "../admin/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { FunctionCase } from "../sdk/data-function.ts";
import { declaresId } from "./declares-id.ts";
import { functionCaches, type BrokenFile } from "./open-catalogs.ts";
import { openFunctions, type OpenedFunctions, type OpenFunction } from "./open-functions.ts";
import { readSettingsOf } from "./config-file.ts";
import { PACKAGE_ROOT } from "./package-root.ts";
import { systemClock } from "../terms/time/clock.ts";

export interface ListedFunctions {
  readonly listing: FunctionListing;
  readonly functions: OpenedFunctions;
  readonly problems: readonly BrokenFile[];
  close(): Promise<void>;
}

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Opens the functions for an operator's commands, in one process with their isolates. With `leaves: "nothing"` the
 * compiled code is not cached in the data directory: the user of a check may not be the service's.
 */
export async function openListedFunctions(
  project: string | undefined,
  dataDir: string,
  { leaves }: { readonly leaves: "cache" | "nothing" } = { leaves: "cache" },
): Promise<ListedFunctions> {
  const functions = await openFunctions({
    catalog: join(PACKAGE_ROOT, "catalog"),
    project,
    clock: systemClock,
    log: QUIET,
    dataDirs: [dataDir, ...(await configuredDataDir(project))],
    // A command that only reads must not create a data directory.
    ...functionCaches(leaves === "cache" && existsSync(dataDir) ? dataDir : undefined),
    processes: 1,
    spare: false,
  });
  return {
    problems: functions.problems,
    listing: toFunctionListing(functions),
    functions,
    close: functions.close,
  };
}

/** Functions as verbs see them. */
export function toFunctionListing(functions: OpenedFunctions): FunctionListing {
  return {
    find: functions.find,
    isBroken: (id) => functions.problems.some(({ file }) => declaresId(file, id)),
    list: () =>
      functions.list().map((listed): DescribedFunction => Object.assign({}, listed, { cases: () => casesOf(listed) })),
  };
}

/**
 * The folder from the settings, because the command's may differ from the service's. Invalid settings are reported by
 * the service.
 */
async function configuredDataDir(project: string | undefined): Promise<readonly string[]> {
  if (project === undefined) return [];
  try {
    return [(await readSettingsOf(project, {}, process.env)).dataDir];
  } catch {
    return [];
  }
}

async function casesOf({ readCases }: OpenFunction): Promise<readonly FunctionCase[]> {
  try {
    return await readCases();
  } catch (error) {
    throw new OperatorError("invalid", (error as Error).message, { cause: error });
  }
}
