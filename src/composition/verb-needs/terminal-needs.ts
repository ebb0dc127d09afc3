import type { Need, VerbNeeds } from "../../admin/needs.ts";
import { osActor } from "../../admin/cli/os-actor.ts";
import type { OpenedForVerb, DeploymentSelection } from "../../admin/cli/run-cli.ts";
import { folderRemark } from "../../project/config-file.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { needsOf, type TerminalNeed } from "./needs-of.ts";
import { openCommandParts } from "./terminal/command-parts.ts";
import { type DeploymentRef, findDeployment, unavailable } from "./terminal/deployment-ref.ts";

/** The needs that are read from the project folder. */
const OF_PROJECT = new Set<Need>([
  "sources",
  "functions",
  "replyBytesMax",
  "authoring",
  "projectFolder",
  "lockCatalogs",
]);

/** Opens a verb's needs: each when the verb first requests it. All are closed when the verb has ended. */
export async function openVerbs(
  place: DeploymentSelection,
  needs: readonly Need[],
  note: (sentence: string) => void,
): Promise<OpenedForVerb> {
  const closing = new AsyncDisposableStack();
  const found = await findDeployment(place, note, closing);
  const remark = needs.some((need) => OF_PROJECT.has(need))
    ? folderRemark(found.settings.project, process.cwd())
    : null;
  if (remark !== null) note(remark);
  const given = {
    clock: found.clock,
    actor: osActor(),
    note,
    ...needsOf(openCommandParts(found)),
    ...localNeeds(found),
  };
  return { given, close: () => closing.disposeAsync() };
}

/** The needs that a service lacks. The command line itself provides the terminal. */
function localNeeds(found: DeploymentRef): Pick<VerbNeeds, Exclude<TerminalNeed, "terminal">> {
  const { settings, clock, note } = found;
  const projectFolder = () => {
    if (settings.project !== undefined) return settings.project;
    throw new OperatorError("invalid", "There is no project folder: name one with --project.");
  };
  return {
    projectFolder,
    async writeTypes() {
      if (settings.project === undefined) return [];
      const [{ createProjectTypes }, { openSources }] = await Promise.all([
        import("../../project/project-types.ts"),
        import("../../project/open-catalogs.ts"),
      ]);
      // The sources are read again, because the verb has written one.
      return createProjectTypes(settings.project, await openSources(settings.project, { catalogs: settings.catalogs }));
    },
    async lockCatalogs(write) {
      const { lockCatalogs } = await import("../../project/packages/lock-catalogs.ts");
      return lockCatalogs(projectFolder(), settings.catalogs, write);
    },
    async copyStore(act, onProgress) {
      const { copyStore } = await import("./terminal/copy-store.ts");
      const { unwrapRootKeys } = await import("../unwrap-root-keys.ts");
      const rootKey = await unwrapRootKeys(settings, clock).catch(unavailable);
      const { dataDir, databaseUrl } = settings;
      return copyStore({ dataDir, databaseUrl, rootKey, clock, act, note, onProgress }).catch(unavailable);
    },
    restoreStore: async (...order) => (await import("./terminal/restore-store.ts")).restoreStore(found, ...order),
    drainLedger: async (...order) => (await import("./terminal/drain-ledger.ts")).drainLedger(found, ...order),
  };
}
