import { join } from "node:path";
import { flag, list, optionalText, type Settings } from "./config.ts";
import type { Log } from "./operate/log.ts";
import { isEnabled, letProjectsImport, loadSources, PACKAGE_ROOT, type LoadedSources } from "./project.ts";
import type { Door, FunctionCatalog, SourceCatalog } from "./run/ports.ts";
import { compileDeclarative } from "./sources/declarative/compile-declarative.ts";
import type { LoadError } from "./sources/load-error.ts";
import { createSchemas } from "./sources/validator.ts";
import type { Clock } from "./terms/clock.ts";

/** Stops a start: files that cannot be used, each with its reason. */
export class BrokenProject extends Error {
  readonly problems: readonly LoadError[];
  constructor(problems: readonly LoadError[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "BrokenProject";
    this.problems = problems;
  }
}

export interface CatalogOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly dev: boolean;
  /** Sources that are at hand already, in place of those of the catalog and the project. */
  readonly loaded?: LoadedSources | undefined;
}

export interface Catalogs {
  readonly sources: SourceCatalog;
  readonly sourceCount: number;
  readonly functions: FunctionCatalog & { close(): Promise<void> };
  readonly functionCount: number;
  readonly simulatedDoor: Door;
}

/** Every source there is, on or off. */
export function openSources(project: string | undefined): Promise<LoadedSources> {
  letProjectsImport(project === undefined ? [] : [project]);
  return loadSources({ catalog: join(PACKAGE_ROOT, "catalog"), project, schemas: createSchemas(), compileDeclarative });
}

/** What a service serves: the sources that are on, and the functions. @throws BrokenProject, but not in `dev` */
export async function openCatalogs(options: CatalogOptions): Promise<Catalogs> {
  const { settings, log, dev } = options;
  const loaded = options.loaded ?? (await openSources(optionalText(settings, "project")));
  if (loaded.problems.length > 0 && !dev) throw new BrokenProject(loaded.problems);
  for (const problem of loaded.problems)
    log.error({ event: "broken_file", file: problem.file, reason: problem.reason });
  for (const id of loaded.replaced) log.info({ event: "catalog_source_replaced", source: id });
  const patterns = flag(settings, "demo") ? ["*"] : list(settings, "catalog");
  const on = new Map(
    [...loaded.all].filter(([, source]) => isEnabled(source, patterns)).map(([id, { source }]) => [id, source]),
  );
  return {
    sources: { find: (id) => on.get(id) },
    sourceCount: on.size,
    functions: { find: () => undefined, close: async () => {} },
    functionCount: 0,
    simulatedDoor: {
      httpFor: () => {
        throw new Error("no simulation yet");
      },
    },
  };
}
