import type { VersionKind } from "../../../admin/ports.ts";
import type { TextDifferences } from "../../../admin/versions/compare-texts.ts";

/** How a function or source of this deployment differs from the version that was last registered. */
export interface VersionChange extends TextDifferences {
  readonly kind: VersionKind;
  readonly id: string;
  /** `removed`: it was registered from a project at some time, and is not in this one. */
  readonly change: "changed" | "new" | "removed";
  /** The version last registered. */
  readonly before: VersionRef | null;
  /** The version of the file. */
  readonly after: VersionRef | null;
}

export interface VersionRef {
  /** `null` if the version is not registered: a start does that. */
  readonly number: number | null;
  readonly digest: string;
}
