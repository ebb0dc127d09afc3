/** Search for any object that has an id, by the id or by name. */

export interface FoundObject {
  readonly kind: "organization" | "workflow" | "token" | "credential" | "budget" | "operator";
  readonly id: string;
  /** For a credential without a name, and for a budget, the source. */
  readonly name: string | null;
  readonly organizationId: string | null;
}

/** Finds at most `limit` of each kind. */
export interface ObjectFinder {
  /** Objects whose id starts with the text, newest first; `null` if no kind of id has this start. */
  findById(beginning: string, limit: number): Promise<readonly FoundObject[] | null>;
  /**
   * Organizations, workflows, tokens, credentials and operators whose name starts with the text, ignoring case. Among the newest of each
   * kind, also those that contain it.
   */
  findByName(text: string, limit: number): Promise<readonly FoundObject[]>;
  /** The access token or operator's token with this digest, revoked or not. */
  findByDigest(digest: string): Promise<FoundObject | null>;
  /** The objects of these ids. Unknown ids are left out. */
  findByIds(ids: Iterable<string | null>): Promise<ReadonlyMap<string, FoundObject>>;
}
