import assert from "node:assert/strict";
import type { Version } from "../../src/admin/ports.ts";
import { openEngine, createStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { digestOf } from "../../src/terms/version.ts";
import type { LedgerRows } from "./ledger-rows.ts";

/** What a store has of versions. */
export interface StoredVersions {
  all(kind: "function" | "source", id: string): Promise<readonly Version[]>;
  /** The content of a recorded digest, which must have that digest. */
  contentOf(kind: "function" | "source", id: string, digest: unknown): Promise<string>;
  sourceOf(kind: "function" | "source", id: string, digest: string): Promise<Readonly<Record<string, string>>>;
}

export async function withVersions<Result>(
  place: { readonly dataDir: string; readonly databaseUrl?: string },
  look: (versions: StoredVersions) => Promise<Result>,
): Promise<Result> {
  const engine = await openEngine({ ...place, clock: systemClock });
  await engine.ready();
  const { admin } = createStore(engine, systemClock);
  const textsOf = async (kind: "function" | "source", id: string, digest: string) => {
    const texts = await admin.versionTexts({ kind, id, digest });
    assert.ok(texts !== null, `${kind} ${id} has no version ${digest}`);
    return texts;
  };
  try {
    return await look({
      all: (kind, id) => admin.versions(kind, id),
      async contentOf(kind, id, digest) {
        assert.ok(typeof digest === "string", `${kind} ${id} was recorded without a version`);
        const { content } = await textsOf(kind, id, digest);
        assert.equal(digestOf(content), digest);
        return content;
      },
      sourceOf: async (kind, id, digest) => (await textsOf(kind, id, digest)).source,
    });
  } finally {
    await engine.close();
  }
}

/** Every run of a function and every call has a version that can be looked up. */
export async function assertVersionsResolve(
  place: Parameters<typeof withVersions>[0],
  ledger: readonly Pick<LedgerRows, "run" | "calls">[],
): Promise<void> {
  await withVersions(place, async ({ contentOf }) => {
    const checked = new Set<string>();
    const check = async (kind: "function" | "source", id: unknown, digest: unknown) => {
      const key = `${kind}/${String(id)}/${String(digest)}`;
      if (!checked.has(key)) await contentOf(kind, String(id), digest);
      checked.add(key);
    };
    for (const { run, calls } of ledger) {
      const isRun = run["function_id"] !== null && run["function_fault"] !== "function.unknown";
      if (isRun) await check("function", run["function_id"], run["function_version"]);
      for (const call of calls) await check("source", call["source"], call["source_version"]);
    }
    assert.ok(checked.size > 0, "the ledger has no version");
  });
}
