/** The keys by which a state file identifies objects. */
import type { JsonObject } from "../../terms/json/json.ts";

export type StateKind = "organization" | "workflow" | "credential" | "token" | "budget" | "operator";

export interface StateKey {
  readonly kind: StateKind;
  /** The id of the organization; `null` for an organization and an operator. */
  readonly parentId: string | null;
  /** Unique for the kind and the parent. */
  readonly key: string;
}

export interface KeyedObject extends StateKey {
  readonly id: string;
  /** How the file that was applied last described it. Never contains a secret. */
  readonly applied: JsonObject;
}

/** What an act of `apply` records, in the transaction of its change and beside its audit entry. */
export interface StateAct {
  /** The digest of the file, which the audit entry has. */
  readonly file: string;
  /** The change is refused if another was made since; afterwards this is the number of its own. */
  readonly since: { changes: number };
  /**
   * The changed object gets this key. `replaces`: the object that has had it, `null` for none; the change fails if
   * another one has it, because then somebody else has applied a file meanwhile.
   */
  readonly bind?: StateKey & { readonly applied: JsonObject; readonly replaces: string | null };
  /** The object loses its key. */
  readonly release?: string;
}

export interface StateKeyAdmin {
  /** The number of the last change of the store by an operator. */
  lastChange(): Promise<number>;
  keyedObjects(): Promise<readonly KeyedObject[]>;
  /** Records how the file describes objects that it left unchanged. No audit entry: nothing changes. */
  recordApplied(objects: readonly Pick<KeyedObject, "id" | "applied">[]): Promise<void>;
}
