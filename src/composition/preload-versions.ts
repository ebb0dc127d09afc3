import type { NamedVersion, StoredVersions } from "../admin/ports.ts";
import type { Log } from "../operate/log.ts";
import type { Catalogs } from "../project/open-catalogs.ts";
import { VERSIONS_MAX } from "../project/stored-versions.ts";
import type { Store } from "../storage/store.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Clock } from "../terms/time/clock.ts";
import { repeat } from "../terms/time/repeat.ts";
import { settledWithin } from "../terms/time/within.ts";
import { SHORT_DIGEST } from "../terms/version.ts";

export interface PreloadParts {
  readonly store: Store;
  readonly catalogs: Pick<Catalogs, "sources" | "functions">;
  readonly versions: StoredVersions;
  readonly clock: Clock;
  readonly log: Log;
}

export interface VersionPreload extends AsyncDisposable {
  /** Resolves when the versions of the start are loaded, have failed to load, or take too long. Never rejects. */
  readonly atStart: Promise<unknown>;
}

/** How long a start waits. Loading continues. */
const START_MS_MAX = 5_000;
const LOOK_EVERY_MS = 500;
/** The pause after the store did not answer, or a version could not be loaded for another reason than its content. */
const AFTER_FAILURE_MS = 5_000;

/**
 * Loads the versions that workflows name before their first run: when the service starts, and when any process has
 * changed a workflow. A version that cannot be loaded is logged, and its runs fail as they would without this.
 */
export function preloadVersions({ store, catalogs, versions, clock, log }: PreloadParts): VersionPreload {
  const reported = new Set<string>();
  let seen: number | null = null;
  let isClosed = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  async function load({ kind, id, digest }: NamedVersion): Promise<void> {
    const source = catalogs.sources.find(id);
    const loaded = kind === "source" ? source?.version : catalogs.functions.find(id)?.version;
    // Runs find nothing to call, or use the loaded version.
    if (loaded === undefined || loaded === digest) return;
    if (kind === "source") await versions.trySource(source!, digest);
    else await versions.tryFunction(id, digest);
  }

  /** `false`: the store does not answer, or a version cannot be loaded at this time. */
  async function loadAll(): Promise<boolean> {
    let isComplete = true;
    const named = await store.admin.namedVersions();
    for (const kind of ["function", "source"] as const) {
      // Further versions would displace those before them.
      for (const version of named.filter((each) => each.kind === kind).slice(0, VERSIONS_MAX)) {
        if (isClosed) return true;
        await load(version).catch((error: unknown) => {
          isComplete &&= error instanceof OperatorError && error.code === "refused";
          report(version, error);
        });
      }
    }
    return isComplete;
  }

  /** Once for each version, because a version that cannot be used stays so. */
  function report({ kind, id, digest }: NamedVersion, error: unknown): void {
    const key = `${kind}/${id}/${digest}`;
    if (reported.has(key)) return;
    reported.add(key);
    const reason = error instanceof OperatorError ? error.message : "it failed";
    const fields = { event: "version_not_loaded", [kind]: id, version: digest.slice(0, SHORT_DIGEST), reason };
    log.warn(fields, "a version that a workflow names cannot be loaded");
  }

  async function look(): Promise<void> {
    const version = store.access.version();
    if (version === seen || clock.now() < pausedUntil || store.health().state !== "ready") return;
    if (await loadAll().catch(() => false)) seen = version;
    else pausedUntil = clock.now() + AFTER_FAILURE_MS;
  }

  let looking = look();
  const lookAgain = () => (looking = looking.then(look));
  const stop = repeat(clock, { firstMs: LOOK_EVERY_MS, everyMs: LOOK_EVERY_MS }, lookAgain);
  return {
    atStart: settledWithin(clock, START_MS_MAX, looking),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      stop();
      await settledWithin(clock, START_MS_MAX, looking);
    },
  };
}
