import type {
  BackedUp,
  AdminStore,
  FunctionListing,
  RunService,
  ServiceState,
  StoredVersions,
} from "../../admin/ports.ts";
import type { BackupRequest } from "../../backup/back-up.ts";
import type { LedgerAnswers } from "../../ledger/read/ledger-reader.ts";
import type { LoadedSource, LoadedSources } from "../../project/load-sources.ts";
import type { Budgets } from "../../run/middleware/ports.ts";
import type { VendorClient } from "../../run/ports.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { OpenedStore } from "../open-store.ts";

/**
 * The parts of a deployment that the needs of verbs are made of: those that a running service has open, or those that a
 * command opens when a verb first uses them.
 */
export interface NeedParts {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Takes the remarks of one verb. */
  note(sentence: string): void;
  /** The port of administrators alone, which a command opens without the rest of the store. */
  adminStore(): Promise<AdminStore>;
  /** @throws OperatorError if the root key of the environment cannot be adopted here */
  keyedStore(adoptRootKey: boolean): Promise<KeyedStore>;
  readonly ledgers: DeploymentLedgers;
  sources(): Promise<SourcesHere>;
  functions(): Promise<FunctionListing>;
  storedVersions(): Promise<StoredVersions>;
  /** The client for real vendors. */
  vendorClient(): Promise<VendorClient>;
  /** The client for cases, whose simulated vendors are on loopback, which no real call may reach. */
  casesClient(): Promise<VendorClient>;
  budgets(): Promise<Budgets>;
  backUp(request: BackupRequest, onProgress: OnProgress): Promise<BackedUp>;
  /** A client of the service that makes the runs of the verb. */
  runService(): Promise<RunService>;
  /** `null` outside a service. */
  state(): ServiceState | null;
}

export interface KeyedStore extends Pick<OpenedStore, "store" | "rootKeys" | "sealer" | "finder"> {
  /** `KeyStanding.settled`, once the root keys were compared with the stored ones. Rejects if they are not this store's. */
  isSettled(): Promise<boolean>;
}

export interface DeploymentLedgers {
  /** Whether this machine has a journal. */
  hasJournal(): boolean;
  /** This machine's journal. @throws OperatorError */
  journal(): Promise<LedgerAnswers>;
  /** The ledger in the shared database, if there is one. @throws OperatorError */
  shared(): Promise<LedgerAnswers>;
  /** Number of runs in this machine's journal that the shared ledger lacks. */
  undrainedRuns(): Promise<number>;
}

export interface SourcesHere {
  readonly loaded: LoadedSources;
  isOn(source: LoadedSource): boolean;
  readonly projectHint?: string | undefined;
}
