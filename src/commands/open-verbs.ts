import { join, resolve } from "node:path";
import { OperatorError } from "../terms/operator-error.ts";
import { osActor } from "../cli/os-actor.ts";
import type { OpenVerbDeps, Place } from "../cli/run-cli.ts";
import type { AttachedService, AttachPlace } from "./attach-service.ts";
import { projectFolder } from "../project/config-file.ts";
import { ConfigError } from "../settings/read-settings.ts";
import { drainAgain } from "../ledger/drain/drain-again.ts";
import { drainJournal } from "../ledger/drain/drain-journal.ts";
import { openJournalReader, type JournalReader } from "../ledger/read/journal-reader.ts";
import { hasJournal } from "../ledger/journal/journal-tables.ts";
import { createLedgerReader } from "../ledger/read/ledger-reader.ts";
import type { ListedFunctions } from "../project/list-functions.ts";
import { openKeyedStore, type OpenedStore } from "../composition/open-store.ts";
import type { OpenedWorkshop } from "./open-workshop.ts";
import type { LoadedSources } from "../project/load-sources.ts";
import { readSettingsOf } from "../project/config-file.ts";
import { declaresId } from "../sources/declares-id.ts";
import { LoadError } from "../sources/load-error.ts";
import { systemClock } from "../terms/clock.ts";

/** The commands that are no verbs: they run until they are stopped. */
export const COMMANDS = [
  { name: "start", summary: "Starts the service." },
  { name: "dev", summary: "Starts the service with reload on change and readable logs." },
  { name: "simulate", summary: "Plays the vendors of the catalog and of your project on one local port." },
];

/** What a verb may ask for, opened when it asks and closed when it ends. */
export async function openVerbs(place: Place, note: (sentence: string) => void): Promise<OpenVerbDeps> {
  const environment = process.env;
  const project = projectFolder(place.project ?? (environment["DATARUN_PROJECT"] || undefined), process.cwd());
  // By the very function by which a service reads them: both must mean the same store.
  const settings = await readSettingsOf(
    project,
    place.dataDir === undefined ? {} : { "data-dir": place.dataDir },
    environment,
  ).catch(invalid);
  const dataDir = resolve(settings.dataDir);
  const databaseUrl = settings.databaseUrl;
  let opened: Promise<OpenedStore> | undefined;
  const ledgerDir = join(dataDir, "ledger");
  let journal: JournalReader | undefined;
  let functionsOpened: Promise<ListedFunctions> | undefined;
  let attached: Promise<AttachedService> | undefined;
  let workshop: OpenedWorkshop | undefined;
  let loading: Promise<LoadedSources> | undefined;
  // What few verbs need is loaded by those alone: it takes longer than most of them.
  const loaded = () =>
    (loading ??= import("../project/open-catalogs.ts").then(({ openSources }) => openSources(project)));
  const open = (adoptRootKey = false) =>
    (opened ??= openKeyedStore({
      // A mistyped folder, or an empty database, must not become a store by being looked at.
      opening: place.makesStore ? "make" : "look",
      dataDir,
      databaseUrl,
      rootKey: environment["DATARUN_ROOT_KEY"],
      clock: systemClock,
      adoptRootKey,
    }).catch(unavailable));
  /** Whoever opens or moves what is sealed proves first that its keys are the deployment's. */
  const proven = async (adoptRootKey = false) => {
    const store = await open(adoptRootKey);
    const standing = await inTime(store).catch(unavailable);
    return { ...store, standing };
  };

  return {
    deps: {
      clock: systemClock,
      actor: osActor(),
      note,
      store: async () => (await open()).store.admin,
      sealer: async () => {
        const { sealer, standing } = await proven();
        if (!standing.settled) throw new OperatorError("refused", UNSETTLED);
        return sealer;
      },
      keys: async ({ adopt = false, unproven = false } = {}) => {
        const { store, rootKeys, sealer } = await (unproven ? open(adopt) : proven(adopt));
        return { store: { ...store.credentials, ...store.keys }, rootKeys, sealer };
      },
      finder: async () => (await proven()).finder,
      ledger: async () => {
        if (databaseUrl === undefined) return (journal ??= openJournal(ledgerDir));
        if (hasJournal(ledgerDir)) {
          const waiting = await (journal ??= openJournal(ledgerDir)).undrained();
          if (waiting > 0) note(undrainedNote(waiting));
        }
        return createLedgerReader((await open()).store.ledgerTables);
      },
      drainLedger: async (again) => {
        if (databaseUrl === undefined) {
          throw new OperatorError("refused", "There is no shared ledger to carry runs to: DATABASE_URL is not set.");
        }
        const { store } = await open();
        if (again !== undefined) return drainAgain(ledgerDir, store.ledger, again.startedFrom);
        try {
          return await drainJournal({ dir: ledgerDir, sink: store.ledger, clock: systemClock, note });
        } catch (error) {
          // Where it is known by now that no waiting helps, the reason is what there is to say.
          await Promise.race([store.ready(), Promise.resolve()]);
          throw error;
        }
      },
      copyStore: async (act) => {
        const { copyStore } = await import("./copy-store.ts");
        const rootKey = environment["DATARUN_ROOT_KEY"];
        return copyStore({ dataDir, databaseUrl, rootKey, clock: systemClock, act, note }).catch(unavailable);
      },
      functions: async () => {
        const functions = await (functionsOpened ??= listFunctions(project, dataDir));
        for (const { message } of functions.problems) note(`A file cannot be used: ${message}`);
        return functions.listing;
      },
      service: async () => {
        const running = await (attached ??= attach({ dataDir, project, databaseUrl }));
        if (running.isOwn) note("No service runs on this data directory: one was started for this command.");
        else
          note(
            `It runs in the service at ${running.url}, with the files that service has loaded: "datarun start" learns of a new file when it is started again, "datarun dev" at once.`,
          );
        const { toRunService } = await import("./run-service.ts");
        return toRunService(running.url);
      },
      projectFolder: () => {
        if (project !== undefined) return project;
        throw new OperatorError("invalid", "There is no project folder: name one with --project.");
      },
      sources: async () => {
        const { all, problems } = await loaded();
        for (const problem of problems) note(`A file cannot be used: ${problem.message}`);
        const ids = [...all.keys()].sort();
        return {
          ids: () => ids,
          find: (id) => all.get(id)?.source,
          broken: (id) => problems.find(({ file }) => declaresId(file, id))?.message ?? null,
        };
      },
      workshop: async () => {
        const { openWorkshop } = await import("./open-workshop.ts");
        return (workshop ??= openWorkshop({ project, environment, loaded: await loaded() }));
      },
    },
    async close() {
      journal?.close();
      await functionsOpened?.then(({ close }) => close(), () => {}); // prettier-ignore
      await attached?.then(({ close }) => close(), () => {}); // prettier-ignore
      workshop?.close();
      if (opened !== undefined) await opened.then(({ store }) => store.close(), () => {}); // prettier-ignore
    },
  };
}

/** A root key that happens to stand in a shell must not become the deployment's because it was there first. */
const UNSETTLED =
  "Nothing is sealed in this store yet, and no service has started on it: nothing says that DATARUN_ROOT_KEY of this shell is the root key of the deployment. Start the service first, or say that it is with: datarun keys adopt";

/** Waits for a shared database as the store's own ports do, and in their words. */
async function inTime({ store, proven }: OpenedStore) {
  await store.keys.rootKeyIdsInUse();
  return proven;
}

function undrainedNote(runs: number): string {
  const which = runs === 1 ? "1 run of this machine has" : `${runs} runs of this machine have`;
  return `${which} not gone out to the shared database yet and cannot be seen here.`;
}

function openJournal(dir: string): JournalReader {
  try {
    return openJournalReader({ dir });
  } catch (error) {
    return unavailable(error);
  }
}

async function listFunctions(project: string | undefined, dataDir: string): Promise<ListedFunctions> {
  const { openListedFunctions } = await import("../project/list-functions.ts");
  return openListedFunctions(project, dataDir);
}

async function attach(place: AttachPlace): Promise<AttachedService> {
  const { attachService } = await import("./attach-service.ts");
  return attachService(place).catch(unavailable);
}

function invalid(error: unknown): never {
  if (error instanceof ConfigError || error instanceof LoadError)
    throw new OperatorError("invalid", error.message, { cause: error });
  throw error;
}

function unavailable(error: unknown): never {
  if (error instanceof OperatorError) throw error;
  throw new OperatorError("unavailable", error instanceof Error ? error.message : String(error), { cause: error });
}
