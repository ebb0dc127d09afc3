import { isAbsolute, resolve } from "node:path";
import type { VerbNeeds } from "../../admin/needs.ts";
import { backUpInThread } from "../../backup/backup-thread.ts";
import { undrainedText } from "../../ledger/drain/undrained-text.ts";
import { createOutboundClient, type OutboundClient } from "../../outbound/http-client.ts";
import { toFunctionListing } from "../../project/list-functions.ts";
import { toSourceListing } from "../../project/list-sources.ts";
import type { Catalogs } from "../../project/open-catalogs.ts";
import type { Budgets } from "../../run/middleware/ports.ts";
import type { WatchCalls } from "../../run/middleware/watch.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnEndedCall } from "../../terms/ended-call.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { toAuthoringTools } from "./authoring-tools.ts";
import { createLiveVendors } from "../live-vendors.ts";
import type { OpenedLedger } from "../open-ledger.ts";
import type { ProvenStore } from "../open-proven-store.ts";
import { toRunService } from "../run-service.ts";

export interface ServiceForVerbs {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly keyed: ProvenStore;
  readonly ledger: OpenedLedger;
  readonly catalogs: Catalogs;
  readonly door: OutboundClient;
  readonly budgets: Budgets;
  /** The current state of the service. */
  state(): NonNullable<ReturnType<VerbNeeds["serviceState"]>>;
  /** The address of the public port for the service's own clients. */
  publicUrl(): string;
  /** Reports the calls of the service's own runs. */
  readonly watchCalls: WatchCalls;
}

/** The needs of verbs that a running service provides. The others belong to the terminal of the command. */
export type NeedsOfService = Omit<
  VerbNeeds,
  "projectFolder" | "terminal" | "copyStore" | "restoreStore" | "drainLedger"
>;

export interface OpenedVerbNeeds {
  /** The needs of one verb. `note` receives its remarks, `ended` the finished calls of its run. */
  needsFor(note: (sentence: string) => void, ended?: OnEndedCall): NeedsOfService;
  close(): void;
}

/**
 * Provides the service's own parts to verbs: a stored credential is used by the next run, a live test uses the
 * connections and budgets of runs, and a source is the version being served.
 */
export function openVerbNeeds(service: ServiceForVerbs): OpenedVerbNeeds {
  // Cases have their own client, because their simulated vendors are on loopback, which no real call may reach.
  let casesDoor: OutboundClient | undefined;
  const openCasesDoor = () => (casesDoor ??= createOutboundClient({ clock: service.clock }));
  return {
    needsFor: (note, ended) => needsOf(service, openCasesDoor, note, ended),
    close: () => casesDoor?.close(),
  };
}

function needsOf(
  service: ServiceForVerbs,
  openCasesDoor: () => OutboundClient,
  note: (sentence: string) => void,
  ended: OnEndedCall | undefined,
): NeedsOfService {
  const { settings, clock, keyed, ledger, catalogs, door, budgets } = service;
  const { store, sealer, finder, rootKeys } = keyed;
  /** Proves that the keys are the deployment's, before anything sealed is opened or moved. */
  const proven = async () => {
    // Fails with the store's own reason if the database is unavailable.
    await store.keys.rootKeyIdsInUse();
    await keyed.settled;
  };
  return {
    store: async () => store.admin,
    sealer: async () => {
      await proven();
      return sealer;
    },
    finder: async () => {
      await proven();
      return finder;
    },
    keys: async ({ adopt = false, unproven = false } = {}) => {
      if (adopt) throw new OperatorError("refused", "A root key is adopted in a terminal on the service's machine.");
      if (!unproven) await proven();
      return { store: { ...store.credentials, ...store.keys }, rootKeys, sealer };
    },
    region: () => settings.region,
    replyBytesMax: () => settings.limits.expert.replyDecodedBytes,
    ledger: async () => {
      const waiting = settings.databaseUrl === undefined ? 0 : ledger.undrainedRuns();
      if (waiting > 0) note(undrainedText(waiting));
      return ledger.answers;
    },
    backUpStore: async ({ dir, ...request }, onProgress) => {
      if (!isAbsolute(dir)) {
        throw new OperatorError(
          "invalid",
          "dir must be an absolute path, because it is on the machine of the service.",
        );
      }
      const dataDir = resolve(settings.dataDir);
      const where = settings.databaseUrl === undefined ? "embedded" : "postgresql";
      return backUpInThread({ ...request, dir, dataDir, store: where }, onProgress);
    },
    ledgersHere: async () => [
      ...(settings.databaseUrl === undefined ? [] : [{ place: "shared", open: async () => ledger.answers } as const]),
      { place: "journal", open: async () => ledger.journal },
    ],
    sources: async () =>
      toSourceListing(catalogs.loaded(), ({ source }) => catalogs.sources.find(source.id) !== undefined, note),
    functions: async () => toFunctionListing(catalogs.functions),
    authoring: async () =>
      toAuthoringTools({
        project: settings.project,
        loaded: catalogs.loaded(),
        cases: { door: openCasesDoor(), clock },
        askLive: createLiveVendors(door, settings.region, clock, async () => budgets),
      }),
    service: async () => toRunService(service.publicUrl(), ended && ((tokenId) => service.watchCalls(tokenId, ended))),
    serviceState: () => service.state(),
  };
}
