import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Deployed, LoadedVersion } from "../admin/ports.ts";
import type { Log } from "../operate/log.ts";
import type { Store } from "../storage/store.ts";
import { syncDirectory } from "../terms/platform/make-directory.ts";
import { readSavedText, writeSavedText } from "../terms/platform/saved-text.ts";
import type { Clock } from "../terms/time/clock.ts";
import { PENDING_VERSIONS_FILE, type VersionTexts } from "../terms/version.ts";

export interface RegistrarParts {
  readonly store: Store;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly deployed: Omit<Deployed, "wallAt">;
}

/**
 * Registers versions before their first use, so that every version in the ledger can be looked up. If the store cannot be
 * reached, the versions are first written to a file of the data directory, and registered as soon as it can.
 */
export interface VersionRegistrar extends AsyncDisposable {
  /** Resolves when the versions are durable, in the store or in the file. @throws if neither can be written */
  register(versions: readonly LoadedVersion[]): Promise<void>;
}

/** A version in the file, which is as durable as the journal. */
interface PendingVersion extends Omit<LoadedVersion, "texts">, VersionTexts {
  readonly deployed: Deployed;
}

const RETRY_MS = 1_000;

export async function openVersionRegistrar(parts: RegistrarParts): Promise<VersionRegistrar> {
  const { store, dataDir, clock, log } = parts;
  const place = join(dataDir, PENDING_VERSIONS_FILE);
  const saved = await readSavedText(place);
  let pending = saved === null ? [] : (JSON.parse(saved) as readonly PendingVersion[]);
  let isClosed = false;
  let retry: (() => void) | undefined;
  let work: Promise<unknown> = Promise.resolve();

  /** The file is written and removed by one at a time. */
  function serialized<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  }

  async function registerPending(): Promise<void> {
    for (const one of pending) {
      const texts = () => Promise.resolve({ content: one.content, source: one.source });
      await store.admin.registerVersions([{ ...one, texts }], one.deployed);
    }
    log.info({ event: "versions_registered", versions: pending.length }, "the store can be reached again");
    pending = [];
    await rm(place, { force: true });
  }

  function registerLater(): void {
    if (isClosed || retry !== undefined) return;
    retry = clock.after(RETRY_MS, () => {
      retry = undefined;
      const trying = serialized(async () => {
        if (pending.length === 0 || isClosed) return;
        if (store.health().state === "ready") await registerPending().catch(() => {});
      });
      void trying.then(() => {
        if (pending.length > 0) registerLater();
      });
    });
  }

  async function save(versions: readonly LoadedVersion[], deployed: Deployed): Promise<void> {
    const known = new Set(pending.map(keyOf));
    const added = versions.filter((version) => !known.has(keyOf(version)));
    const entries = await Promise.all(
      added.map(async ({ texts, ...version }) => ({ ...version, ...(await texts()), deployed })),
    );
    const all = [...pending, ...entries];
    await writeSavedText(place, JSON.stringify(all));
    syncDirectory(dirname(place));
    pending = all;
    log.warn(
      { event: "versions_pending", versions: all.length },
      "the store cannot be reached: versions are kept here",
    );
    registerLater();
  }

  if (pending.length > 0) registerLater();
  return {
    register: (versions) =>
      serialized(async () => {
        const deployed = { ...parts.deployed, wallAt: clock.wall() };
        if (store.health().state === "ready") {
          try {
            await store.admin.registerVersions(versions, deployed);
            return;
          } catch (error) {
            if (store.health().engine === "sqlite") throw error;
          }
        }
        await save(versions, deployed);
      }),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      retry?.();
      await work;
    },
  };
}

function keyOf({ kind, id, digest }: Pick<LoadedVersion, "kind" | "id" | "digest">): string {
  return `${kind}/${id}/${digest}`;
}
