import { isAbsolute } from "node:path";
import type { VerbNeeds } from "../../admin/needs.ts";
import type { StoredVersions } from "../../admin/ports.ts";
import { backUpInThread } from "../../backup/backup-thread.ts";
import { createOutboundClient, type OutboundClient } from "../../outbound/http-client.ts";
import { toFunctionListing } from "../../project/list-functions.ts";
import type { Catalogs } from "../../project/open-catalogs.ts";
import type { Budgets } from "../../run/middleware/ports.ts";
import type { WatchCalls } from "../../run/middleware/watch.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnEndedCall } from "../../terms/ended-call.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { OpenedLedger } from "../open-ledger.ts";
import type { ProvenStore } from "../open-proven-store.ts";
import { toRunService } from "../run-service.ts";
import type { NeedParts } from "./need-parts.ts";
import { needsOf } from "./needs-of.ts";

export interface ServiceForVerbs {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly keyed: ProvenStore;
  readonly ledger: OpenedLedger;
  readonly catalogs: Catalogs;
  readonly storedVersions: StoredVersions;
  readonly door: OutboundClient;
  readonly budgets: Budgets;
  /** The current state of the service. */
  state(): NonNullable<ReturnType<VerbNeeds["serviceState"]>>;
  /** The address of the public port for the service's own clients. */
  publicUrl(): string;
  /** Reports the calls of the service's own runs. */
  readonly watchCalls: WatchCalls;
}

export interface OpenedVerbNeeds {
  /** The needs of one verb. `note` receives its remarks, `ended` the finished calls of its run. */
  needsFor(note: (sentence: string) => void, ended?: OnEndedCall): ReturnType<typeof needsOf>;
  close(): void;
}

/**
 * Provides the service's own parts to verbs: a stored credential is used by the next run, a live test uses the
 * connections and budgets of runs, and a source is the version being served.
 */
export function openVerbNeeds(service: ServiceForVerbs): OpenedVerbNeeds {
  let casesClient: OutboundClient | undefined;
  const shared = partsOf(service, async () => (casesClient ??= createOutboundClient({ clock: service.clock })));
  return {
    needsFor(note, ended) {
      const watch = ended && ((tokenId: string) => service.watchCalls(tokenId, ended));
      return needsOf({ ...shared, note, runService: async () => toRunService(service.publicUrl(), watch) });
    },
    close: () => casesClient?.close(),
  };
}

function partsOf(
  { settings, clock, keyed, ledger, catalogs, storedVersions, door, budgets, state }: ServiceForVerbs,
  casesClient: NeedParts["casesClient"],
): Omit<NeedParts, "note" | "runService"> {
  return {
    settings,
    clock,
    adminStore: async () => keyed.store.admin,
    async keyedStore(adoptRootKey) {
      if (adoptRootKey)
        throw new OperatorError("refused", "A root key is adopted in a terminal on the service's machine.");
      return { ...keyed, isSettled: async () => keyed.settled.then(() => true) };
    },
    ledgers: {
      hasJournal: () => true,
      journal: async () => ledger.journal,
      shared: async () => ledger.answers,
      undrainedRuns: async () => ledger.undrainedRuns(),
    },
    sources: async () => ({
      loaded: catalogs.loaded(),
      isOn: ({ source }) => catalogs.sources.find(source.id) !== undefined,
    }),
    functions: async () => toFunctionListing(catalogs.functions),
    storedVersions: async () => storedVersions,
    vendorClient: async () => door,
    casesClient,
    budgets: async () => budgets,
    async backUp(request, onProgress) {
      if (isAbsolute(request.dir)) return backUpInThread(request, onProgress);
      throw new OperatorError("invalid", "dir must be an absolute path, because it is on the machine of the service.");
    },
    state,
  };
}
