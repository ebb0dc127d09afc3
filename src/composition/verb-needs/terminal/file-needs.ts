import { join } from "node:path";
import { hasJournal } from "../../../ledger/journal/journal-tables.ts";
import type { VerbNeeds } from "../../../admin/needs.ts";
import { folderRemark } from "../../../project/config-file.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import type { DeploymentRef } from "./deployment-ref.ts";

/**
 * The sources and functions of the catalog and the project folder, and the tools to write new ones. The loader is
 * imported only when a verb needs it, because importing it takes longer than most verbs.
 */
export function fileNeeds({
  project,
  dataDir,
  databaseUrl,
  catalog,
  replyBytesMax,
  environment,
  note,
  once,
  clock,
  store,
}: DeploymentRef): Pick<VerbNeeds, "sources" | "functions" | "replyBytesMax" | "authoring" | "projectFolder"> {
  const remark = folderRemark(project, process.cwd());
  if (remark !== null) note(remark);
  const loaded = once(
    async () => (await import("../../../project/open-catalogs.ts")).openSources(project),
    () => {},
  );
  const listed = once(
    async () => (await import("../../../project/list-functions.ts")).openListedFunctions(project, dataDir),
    ({ close }) => close(),
  );
  const journal = once(
    async () => {
      const { openJournalReader } = await import("../../../ledger/read/journal-reader.ts");
      return openJournalReader({ dir: join(dataDir, "ledger") });
    },
    (reader) => reader.close(),
  );
  /** `null` before the first start of a service here. */
  const ledger = async () => {
    if (databaseUrl === undefined) return hasJournal(join(dataDir, "ledger")) ? journal() : null;
    const { createLedgerReader } = await import("../../../ledger/read/ledger-reader.ts");
    return createLedgerReader((await store()).store.ledgerTables);
  };
  const budgets = once(
    async () => {
      const { openBudgetsForCommand } = await import("../../open-budgets.ts");
      return openBudgetsForCommand((await store()).store, clock, ledger);
    },
    (opened) => opened.close(),
  );
  const tools = once(
    async () => {
      const { openAuthoringTools } = await import("./open-authoring-tools.ts");
      return openAuthoringTools({ project, environment, loaded: await loaded(), budgets });
    },
    ({ close }) => close(),
  );
  return {
    sources: async () => {
      const { isEnabled } = await import("../../../project/load-sources.ts");
      const { toSourceListing } = await import("../../../project/list-sources.ts");
      return toSourceListing(await loaded(), (each) => isEnabled(each, catalog), note);
    },
    functions: async () => {
      const { listing, problems } = await listed();
      for (const { message } of problems) note(`A file cannot be used: ${message}`);
      return listing;
    },
    replyBytesMax: () => replyBytesMax,
    authoring: tools,
    projectFolder: () => {
      if (project !== undefined) return project;
      throw new OperatorError("invalid", "There is no project folder: name one with --project.");
    },
  };
}
