import type { JsonObject } from "../../terms/json/json.ts";
import type { StateKind } from "../ports.ts";

/** In the order in which objects refer to those before them. */
export const KINDS = [
  "organization",
  "workflow",
  "credential",
  "token",
  "budget",
  "operator",
] as const satisfies readonly StateKind[];

/** An object as a file describes it. */
export interface DescribedObject {
  readonly kind: StateKind;
  /** The key of its organization; `null` for an organization and an operator. */
  readonly parent: string | null;
  readonly key: string;
  /** The existing object that gets this key, if the file names one. */
  readonly adopts: string | null;
  /** What is compared. A field that is not managed is missing. */
  readonly spec: JsonObject;
  /** For a new token only. */
  readonly expiresIn: string | undefined;
  /** Its location in the file. */
  readonly at: readonly (string | number)[];
}

/** An object of the store that has a key, or gets one by the file. */
export interface StoredObject {
  readonly kind: StateKind;
  readonly parent: string | null;
  readonly key: string;
  readonly id: string;
  /** `null` if it does not exist any more, or is a token that is revoked or expired. */
  readonly spec: JsonObject | null;
  /** How the file described it last; `null` if it has no key yet. */
  readonly applied: JsonObject | null;
}

/** What an object cannot change: another value makes another object, and disables the one before. */
export const FIXED: Readonly<Record<StateKind, readonly string[]>> = {
  organization: [],
  workflow: ["simulated"],
  credential: ["source", "fields", "references", "contexts", "regions", "default", "note", "revision"],
  token: ["name"],
  budget: ["workflow", "source", "credential", "per", "time_zone", "currency"],
  operator: ["name"],
};

/** `workflow acme/onboarding`; unique in a file. */
export function nameOf(object: Pick<StoredObject, "kind" | "parent" | "key">): string {
  return `${object.kind} ${keysOf(object)}`;
}

/** `acme/onboarding`: the key of the organization, if it has one, and that of the object. */
export function keysOf({ parent, key }: Pick<StoredObject, "parent" | "key">): string {
  return parent === null ? key : `${parent}/${key}`;
}

/** A field that is a text; empty if it is not. */
export function textIn(object: JsonObject | null | undefined, field: string): string {
  const value = object?.[field];
  return typeof value === "string" ? value : "";
}
