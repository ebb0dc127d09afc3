import type { Static, TObject, TSchema } from "typebox";
import type { JsonObject } from "../terms/json.ts";
import type { Need, VerbCall } from "./needs.ts";
import type { Role } from "./ports.ts";

/**
 * One thing that an operator can do. It is declared once; the command line's options, checks and help, and its page in
 * the reference are derived from the declaration. Its name is its path: `verbs/token/create.ts` is `token create`.
 */
export interface Verb<
  Input extends TObject = TObject,
  Result extends JsonObject = JsonObject,
  Named extends Need = Need,
> {
  /** One line for lists of commands, starting with a verb, without a full stop. */
  readonly summary: string;
  /** What else a person should know before using it. */
  readonly description?: string;
  /** A realistic command line, without the verb's name. */
  readonly example: string;
  /**
   * One object, snake case, `additionalProperties: false`, a `description` on each property. A boolean is a switch, an
   * array an option that may be repeated, an object is filled by `--set`, `--set-env` and `--stdin`. `x-says` on a
   * property is the message for a wrong value, after the property's name.
   */
  readonly input: Input;
  /** The properties that are given by position on the command line, in order. */
  readonly positional?: readonly Extract<keyof Input["properties"], string>[];
  /** Whether it changes anything; a verb that does not can be repeated freely. */
  readonly changes: boolean;
  /**
   * The least role that allows it over the admin API. A viewer reads everything but secrets; an operator also runs
   * things and changes what callers use; an owner also changes who may operate, the money, the keys, and deletes
   * records. Whoever has a terminal on the machine can do everything.
   */
  readonly role: Role;
  /**
   * Whether it takes access away from somebody. The admin API runs such a verb however busy it is, because it may be what
   * ends the load.
   */
  readonly revokes?: true;
  /**
   * True if it works only in a terminal on the machine, because it reads or writes files there; or those of its inputs
   * for which this is so. The admin API has neither.
   */
  readonly terminalOnly?: true | readonly Extract<keyof Input["properties"], string>[];
  /** Creates the store if there is none yet. A deployment begins with such a verb, or with its first start. */
  readonly makesStore?: boolean;
  /** What `run` works with. It gets nothing else, so the declaration shows everything that a verb can reach. */
  readonly needs: readonly Named[];
  run(input: Static<Input>, call: VerbCall<Named>): Promise<Result>;
  /**
   * In place of `run`, for what is too large for one object: a text of many lines, which is made while it is read. The
   * admin API sends it as a file; the command line writes it to FILE, which it takes last, or to standard output.
   */
  readonly stream?: {
    /** Those that a text may have. */
    readonly mediaTypes: readonly string[];
    open(input: Static<Input>, call: VerbCall<Named>): Promise<TextStream<Result>>;
  };
  /** What to tell somebody who interrupts it, after how far it was: how to go on. For verbs that change things bit by bit. */
  readonly interrupted?: string;
  /**
   * The schema of what `run` resolves with, for the contract of the admin API. Not for verbs that work only in a
   * terminal, and not for those that answer with a text.
   */
  readonly result?: TSchema;
  /** Whether the result is a failure: it is shown all the same, and the exit code is 1. */
  hasFailed?(result: Result): boolean;
  /** The message for an empty list in the result, by the list's name. If left out: "no", and the name. */
  readonly nothing?: Readonly<Record<string, string>>;
  /** Which columns of a list people see in a terminal, by the list's name. If left out: all. */
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  /**
   * For people. If left out: a table for each list of the result, one line for each other field. `typed` gives a command
   * of the result as it is typed here.
   */
  render?(result: Result, typed: (text: string) => string): string;
}

export interface TextStream<Result extends JsonObject = JsonObject> {
  readonly mediaType: string;
  /** Under which name a browser saves it. */
  readonly fileName: string;
  /**
   * Yields the text only as fast as it is read, and returns what there is to say about it at the end.
   * @throws OperatorError
   */
  readonly pieces: AsyncGenerator<string, Result, void>;
}

/** Checks a verb's types where it is declared, and returns it in the general type. */
export function defineVerb<Input extends TObject, Result extends JsonObject, const Named extends Need>(
  verb: Verb<Input, Result, Named>,
): Verb {
  return verb as unknown as Verb;
}

/** The same for a verb that answers with a text. */
export function defineStreamedVerb<Input extends TObject, Result extends JsonObject, const Named extends Need>(
  verb: Omit<Verb<Input, Result, Named>, "run" | "result"> & Required<Pick<Verb<Input, Result, Named>, "stream">>,
): Verb {
  return { ...verb, run: () => Promise.reject(new RangeError("it answers with a text")) } as unknown as Verb;
}
