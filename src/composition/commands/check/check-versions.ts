import type { LoadedVersion, Version } from "../../../admin/ports.ts";
import { compareTexts, type TextDifferences } from "../../../admin/versions/compare-texts.ts";
import { versionOfFunction, versionOfSource } from "../../../project/open-catalogs.ts";
import type { Store } from "../../../storage/store.ts";
import type { CheckedProject } from "./check-project.ts";
import type { CheckReport, VersionChange, VersionRef } from "./findings.ts";

const NO_FILES: TextDifferences = { files: [], packages: [] };

/**
 * Compares everything that a start would register with the newest registered versions. Registers nothing. Of the
 * catalog only what changed is listed: a release adds sources, and settings turn them on and off.
 */
export async function compareWithStore(
  store: Store | "none yet",
  { on, functions, isBroken }: CheckedProject,
  report: CheckReport,
): Promise<void> {
  const newest = store === "none yet" ? [] : await store.admin.newestVersions();
  const before = new Map(newest.map((version) => [keyOf(version), version]));
  const loaded = [...functions.map(versionOfFunction), ...[...on.values()].map(versionOfSource)];
  const changed = loaded.filter((version) => (before.get(keyOf(version))?.digest ?? version.digest) !== version.digest);
  const known = store === "none yet" ? [] : await store.admin.versionsOf(changed.map(({ digest }) => digest));
  const refOf = ({ kind, id, digest }: LoadedVersion): VersionRef => {
    const same = known.find((version) => version.kind === kind && version.id === id && version.digest === digest);
    return { number: same?.number ?? null, digest };
  };
  const changes: VersionChange[] = [];
  for (const version of changed) {
    const old = before.get(keyOf(version))!;
    const texts = await (store as Store).admin.versionTexts(old);
    const differences = texts === null ? NO_FILES : await compareTexts(texts, await version.texts());
    changes.push({ ...idOf(version), change: "changed", before: toRef(old), after: refOf(version), ...differences });
  }
  for (const version of loaded) {
    if (version.origin === "catalog" || before.has(keyOf(version))) continue;
    const after = { number: null, digest: version.digest };
    changes.push({ ...idOf(version), change: "new", before: null, after, ...NO_FILES });
  }
  const present = new Set(loaded.map(keyOf));
  for (const version of newest.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    if (version.origin === "catalog" || present.has(keyOf(version)) || isBroken(version.id)) continue;
    changes.push({ ...idOf(version), change: "removed", before: toRef(version), after: null, ...NO_FILES });
  }
  report.changes = changes;
}

function keyOf({ kind, id }: Pick<Version, "kind" | "id">): string {
  return `${kind}/${id}`;
}

function idOf({ kind, id }: Pick<Version, "kind" | "id">): Pick<Version, "kind" | "id"> {
  return { kind, id };
}

function toRef({ number, digest }: Version): VersionRef {
  return { number, digest };
}
