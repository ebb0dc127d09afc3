import { PACKAGE_ROOT } from "../../src/project.ts";
import { openSources } from "../../src/open-catalogs.ts";
import { apiPage } from "./api-page.ts";
import { catalogPages } from "./catalog-pages.ts";
import { commandsPage } from "./commands-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { limitsPage } from "./limits-page.ts";
import type { Page } from "./markdown.ts";

/** Every page that is written from the code. The same code gives the same pages, byte for byte. */
export async function referencePages(): Promise<Page[]> {
  const { all, problems } = await openSources(undefined);
  if (problems.length > 0) throw new AggregateError(problems, problems.map(({ message }) => message).join("\n"));
  return [apiPage(), configurationPage(), await commandsPage(), limitsPage(), ...(await catalogPages(all))];
}

/** Folders in which every Markdown file is one of these pages, so that one whose subject is gone is found. */
export const GENERATED_FOLDERS = ["docs/reference", "docs/catalog"] as const;

export { PACKAGE_ROOT };
