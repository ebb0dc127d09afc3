import { join } from "node:path";
import { openFunctions, type OpenFunction } from "../../src/project/open-functions.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { PACKAGE_ROOT } from "../../src/project/package-root.ts";
import { openSources } from "../../src/project/open-catalogs.ts";
import { adminApiPage } from "./admin-api-page.ts";
import { apiPage } from "./api-page.ts";
import { catalogPages } from "./catalog-pages.ts";
import { checksPage } from "./checks-page.ts";
import { commandsPage } from "./commands-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { decisionsPage } from "./decisions-page.ts";
import { limitsPage } from "./limits-page.ts";
import type { Page } from "./markdown.ts";
import { metricsPage } from "./metrics-page.ts";
import { sourceFormatPage, sourceSchema } from "./source-format-page.ts";
import { stateSchemaFile } from "./state-schema-file.ts";
import { typescriptSourcesPage } from "./typescript-sources-page.ts";

/** Every page that is written from the code. The same code gives the same pages, byte for byte. */
export async function referencePages(): Promise<Page[]> {
  const sources = await openSources(undefined);
  const { problems } = sources;
  if (problems.length > 0) throw new AggregateError(problems, problems.map(({ message }) => message).join("\n"));
  const functions = await catalogFunctions();
  return [
    apiPage(),
    await adminApiPage(),
    configurationPage(),
    await commandsPage(),
    checksPage(),
    limitsPage(),
    metricsPage(),
    sourceFormatPage(),
    sourceSchema(),
    stateSchemaFile(),
    typescriptSourcesPage(),
    decisionsPage(PACKAGE_ROOT),
    ...(await catalogPages(sources, functions)),
  ];
}

/** The declarations of the catalog's functions, for which their files have to be run, with their cases. */
async function catalogFunctions(): Promise<readonly OpenFunction[]> {
  const opened = await openFunctions({
    catalog: join(PACKAGE_ROOT, "catalog"),
    project: undefined,
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
    dataDirs: [],
    processes: 1,
    spare: false,
  });
  try {
    if (opened.problems.length > 0) throw new AggregateError(opened.problems, opened.problems.join("\n"));
    return await Promise.all(opened.list().map(async (each) => ({ ...each, cases: await each.readCases() })));
  } finally {
    await opened.close();
  }
}

/** Folders with generated and hand-written pages; generated ones have a mark on their first line. */
export const GENERATED_FOLDERS = ["docs/reference", "docs/catalog", "docs/decisions"] as const;

export { PACKAGE_ROOT };
