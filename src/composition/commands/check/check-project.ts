import type { DescribedFunction, FunctionListing } from "../../../admin/ports.ts";
import { declaresId } from "../../../project/declares-id.ts";
import { openListedFunctions } from "../../../project/list-functions.ts";
import { isEnabled, type LoadedSource, type LoadedSources, namesSource } from "../../../project/load-sources.ts";
import { PackageError } from "../../../project/packages/package-error.ts";
import { openSources } from "../../../project/open-catalogs.ts";
import { replaceData } from "../../../project/replace-data.ts";
import type { Settings } from "../../../settings/settings.ts";
import { regionFault } from "../../../terms/fault.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import { type CheckReport, lineOf } from "./findings.ts";

/** The sources of a deployment, by id. */
export interface CheckedSources {
  readonly all: LoadedSources["all"];
  /** The sources that callers can use. */
  readonly on: ReadonlyMap<string, LoadedSource>;
}

export interface CheckedProject extends CheckedSources {
  readonly functions: readonly DescribedFunction[];
  /** Whether the file of a source or function cannot be used. */
  isBroken(id: string): boolean;
}

/** Loads every source and function as a start does, and compares them with the settings. */
export async function checkProject(settings: Settings, dataDir: string, report: CheckReport): Promise<CheckedProject> {
  const [{ all, problems }, functions] = await Promise.all([
    openSources(settings.project, { catalogs: settings.catalogs }),
    checkFunctions(settings.project, dataDir, report),
  ]);
  const data = await replaceData(settings.catalogData, all);
  for (const problem of [...problems, ...data.problems]) {
    const { file, reason, message } = problem;
    const code = problem instanceof PackageError ? "catalogs.refused" : "project.file_broken";
    report.add(code, message, { file, line: lineOf(reason) });
  }
  const patterns = settings.demo ? ["*"] : settings.catalog;
  const on = new Map([...all].filter(([, source]) => isEnabled(source, patterns)));
  for (const [id, { source, file, from }] of on) {
    if (from === "catalog") continue;
    if ((source.declaration.cases ?? []).length === 0) report.add("project.no_cases", `${id} has no cases`, { file });
    const { regions = [] } = source.declaration;
    if (regionFault("this source", regions, settings.region) !== null)
      report.add(
        "source.region_refused",
        `${id} is for ${regions.join(" or ")}, and this region is ${settings.region}`,
        { file },
      );
  }
  namesNothing(settings, { all, on }, report);
  report.facts["sources"] = on.size;
  const isBroken = (id: string) => functions.isBroken(id) || problems.some(({ file }) => declaresId(file, id));
  return { all, on, functions: functions.list(), isBroken };
}

async function checkFunctions(
  project: string | undefined,
  dataDir: string,
  report: CheckReport,
): Promise<FunctionListing> {
  const { listing, problems, close } = await openListedFunctions(project, dataDir, { leaves: "nothing" });
  try {
    for (const { file, reason, message } of problems)
      report.add("project.file_broken", message, { file, line: lineOf(reason) });
    const functions = listing.list();
    report.facts["functions"] = functions.length;
    for (const { id, file, from, cases } of functions) {
      if (from !== "project") continue;
      try {
        if ((await cases()).length === 0) report.add("project.no_cases", `${id} has no cases`, { file });
      } catch (error) {
        report.add("project.cases_broken", (error as Error).message, { file });
      }
    }
    return listing;
  } finally {
    await close();
  }
}

function namesNothing(settings: Settings, { all, on }: CheckedSources, report: CheckReport): void {
  const ids = [...all.keys()];
  for (const pattern of settings.catalog) {
    if (ids.some((id) => namesSource(pattern, id))) continue;
    const meant = didYouMean(pattern, [...ids, ...new Set(ids.map((id) => `${id.split("__")[0]}__*`))]);
    report.add(
      "catalog.names_nothing",
      `catalog: "${pattern}" matches no source${meant === undefined ? "" : `: ${meant}`}`,
    );
  }
  const declared = new Set([...on.values()].flatMap(({ source }) => (source.declaration.origins ?? []).map(normal)));
  for (const key of ["private", "trace"] as const)
    for (const origin of settings.outbound[`${key}Origins`]) {
      if (declared.has(normal(origin))) continue;
      report.add("origins.names_nothing", `outbound.${key}_origins: no source that is on declares ${origin}`);
    }
}

/** Normalizes default ports and the case of host names. Invalid origins are reported by another check. */
function normal(origin: string): string {
  return URL.parse(origin)?.origin ?? origin;
}
