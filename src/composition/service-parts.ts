import type { Budgets, Leases } from "../run/middleware/ports.ts";
import type { Authenticator } from "../terms/caller.ts";
import type { ServiceState } from "../admin/ports.ts";
import type { Deployment } from "../http/route.ts";
import type { AdminApi } from "../admin/http/admin-api.ts";
import type { Console } from "../admin/http/console/serve-console.ts";
import type { Readings } from "../operate/readings.ts";
import type { Log } from "../operate/log.ts";
import type {
  CredentialFinder,
  VendorClient,
  FunctionCatalog,
  Ledger,
  RunObserver,
  ShadowResults,
  SourceCatalog,
  VersionLoader,
} from "../run/ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The parts of a service. `start.ts` creates the real ones; tests replace the vendor and the clock. */
export interface ServiceParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly deployment: Deployment;
  readonly authenticator: Authenticator;
  readonly finder: CredentialFinder;
  /** Observers of runs, besides the log and the metrics. */
  readonly observers: readonly RunObserver[];
  readonly ledger: Ledger;
  readonly sources: SourceCatalog;
  readonly functions: FunctionCatalog & { close(): Promise<void> };
  /** Loads the versions that workflows name. Without it, they are refused. */
  readonly versions?: VersionLoader;
  /** Without it, there are no shadow runs. */
  readonly shadowResults?: ShadowResults;
  readonly vendorClient: VendorClient;
  readonly simulatedClient: VendorClient;
  readonly leaseOf: Leases;
  readonly budgets: Budgets;
  /** The id of this start of the service in its records. */
  readonly startId?: string;
  /** The version of the deployment in its records; `null` if it is not known. */
  readonly build?: string | null;
  /** Reasons why runs are refused now, for the readiness probe. */
  readonly notReady: () => readonly string[];
  readonly adminApi: AdminApi;
  readonly console: Console | null;
  /** Conditions that will soon stop the service from accepting runs. */
  readonly warnings: () => readonly string[];
  /** Whether the text of functions' errors is logged, at level `debug`. */
  readonly tellsErrors: boolean;
  /** Consecutive failures of sending runs to the shared database. */
  readonly drainFailures: () => number;
  readonly readings: { sourceDrift(): ServiceState["sourceDrift"] } & Omit<
    Readings,
    "isReady" | "runsUnderWay" | "heldBytes" | "connections" | "openBreakers" | "failedLogins"
  >;
}
