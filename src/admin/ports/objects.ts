/** Whatever has an id, found by it or by its name. */

export interface FoundObject {
  readonly kind: "organization" | "workflow" | "token" | "credential" | "budget" | "operator";
  readonly id: string;
  /** Of a credential and a budget, the source. */
  readonly name: string | null;
  readonly organizationId: string | null;
}

/** Finds at most `limit` of each kind. */
export interface ObjectFinder {
  /** Those whose id begins so, newest first; `null` if no kind of id can begin so, as far as its prefix goes. */
  findById(beginning: string, limit: number): Promise<readonly FoundObject[] | null>;
  /**
   * Organizations, workflows and operators whose name begins with the text, in small or capital letters; among the
   * newest of each kind also those with the text elsewhere in the name.
   */
  findByName(text: string, limit: number): Promise<readonly FoundObject[]>;
  /** What is known of these ids. Those that the store does not have are left out. */
  findByIds(ids: Iterable<string | null>): Promise<ReadonlyMap<string, FoundObject>>;
}
