import type { Static, TObject, TProperties, TSchema } from "typebox";
import type { JsonObject } from "../terms/json/json.ts";
import { Type } from "../terms/schema/type.ts";
import type { Need, VerbCall } from "./needs.ts";
import type { Role } from "./ports.ts";

/**
 * An operation of an operator, declared once: the command line's options, checks and help, and the reference are
 * derived from it. Its name is its path: `verbs/token/create.ts` is `token create`.
 */
export interface Verb<
  Input extends TObject = TObject,
  Result extends JsonObject = JsonObject,
  Named extends Need = Need,
> {
  /** One line for lists of commands, starting with a verb, without a full stop. */
  readonly summary: string;
  /** Further information that a person needs before using it. */
  readonly description?: string;
  /** A realistic command line, without the verb's name. */
  readonly example: string;
  /**
   * One object, snake case, without other properties, a `description` on each property. A boolean is a switch, an array
   * an option that may be repeated, and an object is filled by `--set`, `--set-env` and `--stdin`. `x-says` on a property
   * is the message for an invalid value, after the property's name.
   */
  readonly input: Input;
  /** The positional properties of the command line, in order. The last may be a list, which takes all others. */
  readonly positional?: readonly Extract<keyof Input["properties"], string>[];
  /** Whether the verb changes anything. A verb that does not can be repeated freely. */
  readonly changes: boolean;
  /**
   * The least role that may use it over the admin API. A viewer reads everything but secrets. An operator also runs
   * things and changes what callers use. An owner also changes operators, money and keys, and deletes records. A user
   * with a terminal on the machine can do everything.
   */
  readonly role: Role;
  /**
   * Whether the verb removes access. The admin API runs such a verb however busy it is, because it may end the load.
   */
  readonly revokes?: true;
  /**
   * `true` if the verb works only in a terminal on the machine, because it reads or writes files there; a list if this
   * holds for some inputs only. The admin API leaves these out.
   */
  readonly terminalOnly?: true | readonly Extract<keyof Input["properties"], string>[];
  /**
   * Whether the verb creates a store if there is none. A deployment starts with such a verb, or with its first start.
   */
  readonly makesStore?: boolean;
  /** The needs of `run`. It gets no others, so the declaration shows everything that a verb can reach. */
  readonly needs: readonly Named[];
  run(input: Static<Input>, call: VerbCall<Named>): Promise<Result>;
  /**
   * In place of `run`, for a result too large for one object: a text of many lines, or the bytes of a file, made while
   * it is read. The admin API sends it as a file; the command line writes it to FILE, its last argument, or to standard
   * output.
   */
  readonly stream?: {
    /** The media types that the text may have; those of `BINARY_TYPES` are bytes. */
    readonly mediaTypes: readonly string[];
    open(input: Static<Input>, call: VerbCall<Named>): Promise<TextStream<Result>>;
  };
  /**
   * A sentence for a user who interrupts the verb, printed after the progress: how to continue. For verbs that change
   * things one by one.
   */
  readonly interrupted?: string;
  /**
   * The schema of the result, for the contract of the admin API. Missing if the verb works only in a terminal or
   * produces a text.
   */
  readonly result?: TSchema;
  /**
   * Set if the command line can run the verb again at each change of the project (`--watch`). Returns why it must not
   * with this input, or null.
   */
  refuseWatch?(input: Static<Input>): string | null;
  /** Whether the result is a failure. It is still shown, and the exit code is 1 or `failureExitCode`. */
  hasFailed?(result: Result): boolean;
  /** Lets a script tell a result that is a failure from a command that could not do its work, whose exit code is 1. */
  readonly failureExitCode?: 2;
  /** The message for an empty list of the result, by the list's name; "no" and the name if left out. */
  readonly nothing?: Readonly<Record<string, string>>;
  /** The columns of a list in a terminal, by the list's name; all if left out. */
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  /** How a column of a list is written in a terminal, by the column's name, if its values are lists of objects. */
  readonly cells?: Readonly<Record<string, (value: readonly JsonObject[]) => string>>;
  /**
   * Renders the result for people. If left out: a table for each list of the result, one line for each other field.
   * `typed` converts a command of the result to how it is typed here.
   */
  render?(result: Result, typed: (text: string) => string): string;
}

export interface TextStream<Result extends JsonObject = JsonObject> {
  readonly mediaType: string;
  /** The name under which a browser saves the text. */
  readonly fileName: string;
  /**
   * Yields the text at the speed at which it is read, and returns its result at the end. The pieces are bytes if the
   * media type is one of `BINARY_TYPES`.
   * @throws OperatorError
   */
  readonly pieces: AsyncGenerator<string | Uint8Array, Result, void>;
}

/** Media types of streams that are not text. */
export const BINARY_TYPES: readonly string[] = ["application/vnd.apache.parquet"];

/** A verb as its file declares it: its input has these properties and no others. */
type VerbDeclaration<Properties extends TProperties, Result extends JsonObject, Named extends Need> = Omit<
  Verb<TObject<Properties>, Result, Named>,
  "input"
> & { readonly input: Properties };

/** Checks a verb's types where it is declared, and returns it as the general type. */
export function defineVerb<Properties extends TProperties, Result extends JsonObject, const Named extends Need>(
  verb: VerbDeclaration<Properties, Result, Named>,
): Verb {
  return { ...verb, input: Type.Object(verb.input, { additionalProperties: false }) } as unknown as Verb;
}

/** The same for a verb that produces a text. */
export function defineStreamedVerb<Properties extends TProperties, Result extends JsonObject, const Named extends Need>(
  verb: Omit<VerbDeclaration<Properties, Result, Named>, "run" | "result" | "stream"> &
    Required<Pick<Verb<TObject<Properties>, Result, Named>, "stream">>,
): Verb {
  return defineVerb({ ...verb, run: () => Promise.reject(new RangeError("it answers with a text")) } as never);
}
