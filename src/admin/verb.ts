import type { Static, TObject } from "typebox";
import type { JsonObject } from "../terms/json.ts";
import type { Need, VerbCall } from "./needs.ts";

/**
 * One thing an operator can do. It declares itself once; the command line's options, checks and help, and its page in the
 * reference, are derived from the declaration. Its name is its path: `verbs/token/create.ts` is `token create`.
 */
export interface Verb<
  Input extends TObject = TObject,
  Result extends JsonObject = JsonObject,
  Named extends Need = Need,
> {
  /** One line for lists of commands, starting with a verb and without a full stop. */
  readonly summary: string;
  /** What else a person should know before using it. */
  readonly description?: string;
  /** A real command line, from after the verb's name on. */
  readonly example: string;
  /**
   * One object, snake case, `additionalProperties: false`, a `description` on each property. A boolean is a switch, an
   * array an option that may be repeated, an object is filled by `--set`, `--set-env` and `--stdin`. `x-says` on a property
   * is what to tell whoever gave it a value that does not fit, after its name.
   */
  readonly input: Input;
  /** The properties that are given by position on the command line, in order. */
  readonly positional?: readonly Extract<keyof Input["properties"], string>[];
  /** Whether it changes anything; one that does not can be repeated freely. */
  readonly changes: boolean;
  /** Where there is no store yet, it makes one. A deployment begins with such a verb, or with its first start. */
  readonly makesStore?: boolean;
  /** What `run` works with. It is given this and nothing else, so that what a verb can reach is read off its declaration. */
  readonly needs: readonly Named[];
  run(input: Static<Input>, call: VerbCall<Named>): Promise<Result>;
  /** Whether a result says that what was asked about has failed: it is shown all the same, and the exit code is 1. */
  hasFailed?(result: Result): boolean;
  /** What to tell people of a list of the result that is empty, by its name. Left out: "no", and the name. */
  readonly nothing?: Readonly<Record<string, string>>;
  /** For people. Left out: a table for each list of the result, one line for each other field. */
  render?(result: Result): string;
}

/** Gives a verb its types while it is written, and returns it as every verb is seen from outside. */
export function defineVerb<Input extends TObject, Result extends JsonObject, const Named extends Need>(
  verb: Verb<Input, Result, Named>,
): Verb {
  return verb as unknown as Verb;
}
