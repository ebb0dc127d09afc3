import { memberPath, OTHER_MEMBERS, segmentOf } from "./shape-path.ts";

/** The most paths that are counted for one version of a source. */
const PATHS_MAX = 500;
/** An object with more member names, over all replies, is a map from data to values. */
const MEMBERS_MAX = 100;
/** The number of different inputs whose replies must have had a name before it is kept. */
export const CALLS_MIN = 5;
/** The most names that wait for further replies. */
const WAITING_MAX = 2_000;

/** A name that a person who designs an interface would choose, and no address, number, date or sentence. */
const IDENTIFIER = /^[@#$_A-Za-z][\w@#$:.-]{0,63}$/;
const DATA = /\d{5}|.@|\d-\d/;

/**
 * Decides which member names of a source's replies are kept. The name of a member may be personal data, as in
 * `{"ada@example.com": {…}}`. A name is kept only if it looks like an identifier, its object has few different names, and
 * it occurs in the source's own content or in the replies to calls with several different inputs. All others are `*`.
 */
export class MemberNames {
  readonly #declared: ReadonlySet<string>;
  /** The kept names of each object with their paths, by the object's path. */
  readonly #kept = new Map<string, Map<string, string>>();
  /** The calls whose replies had a name that is not kept yet. */
  readonly #waiting = new Map<string, Map<string, Set<string>>>();
  readonly #maps = new Set<string>();
  readonly #paths = new Set<string>();
  #waitingNames = 0;

  /**
   * @param content of the source, whose words are kept
   * @param known paths of earlier replies
   */
  constructor(content: string, known: Iterable<string> = []) {
    this.#declared = new Set(
      content.match(/[@#$_A-Za-z][\w@#$:.-]*|\w+/g)?.flatMap((word) => [word, ...word.split(/[.:]/)]),
    );
    for (const path of known) {
      this.#paths.add(path);
      const segment = segmentOf(path);
      if (segment?.name !== undefined) this.#namesOf(segment.parent).set(segment.name, path);
    }
  }

  /** Whether a path may be counted. */
  admit(path: string): boolean {
    if (this.#paths.has(path)) return true;
    if (this.#paths.size >= PATHS_MAX) return false;
    this.#paths.add(path);
    return true;
  }

  /** Whether the names of an object's members are data. */
  isMap(object: string): boolean {
    return this.#maps.has(object);
  }

  /**
   * The path of a member: with its name, or `*`.
   * @param call identifies the inputs of the call
   */
  memberPath(object: string, name: string, call: string): string {
    const kept = this.#namesOf(object);
    let path = kept.get(name);
    if (path !== undefined && (!this.#maps.has(object) || this.#declared.has(name))) return path;
    if (!this.#keeps(object, name, call, kept)) return memberPath(object, OTHER_MEMBERS);
    path = memberPath(object, name);
    kept.set(name, path);
    return path;
  }

  #keeps(object: string, name: string, call: string, kept: ReadonlyMap<string, string>): boolean {
    if (!IDENTIFIER.test(name) || DATA.test(name)) return false;
    if (this.#declared.has(name)) return true;
    if (this.#maps.has(object) || this.#paths.size >= PATHS_MAX) return false;
    return this.#hasRecurred(object, name, call, kept);
  }

  #hasRecurred(object: string, name: string, call: string, kept: ReadonlyMap<string, string>): boolean {
    let names = this.#waiting.get(object);
    if (names === undefined) this.#waiting.set(object, (names = new Map()));
    let calls = names.get(name);
    if (calls === undefined) {
      if (kept.size + names.size >= MEMBERS_MAX) {
        this.#maps.add(object);
        this.#forget(object, names);
        return false;
      }
      if (this.#waitingNames >= WAITING_MAX) return false;
      names.set(name, (calls = new Set()));
      this.#waitingNames += 1;
    }
    calls.add(call);
    if (calls.size < CALLS_MIN) return false;
    names.delete(name);
    this.#waitingNames -= 1;
    return true;
  }

  #forget(object: string, names: ReadonlyMap<string, unknown>): void {
    this.#waitingNames -= names.size;
    this.#waiting.delete(object);
  }

  #namesOf(object: string): Map<string, string> {
    let names = this.#kept.get(object);
    if (names === undefined) this.#kept.set(object, (names = new Map()));
    return names;
  }
}
