import { parseArgs } from "node:util";
import { didYouMeanAnyOf } from "../../terms/text/nearest.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { CommandShape, Option } from "./options.ts";

/** A parsed command line. The verb's schema checks the values later. */
export interface ParsedCommand {
  readonly dataDir: string | undefined;
  readonly project: string | undefined;
  readonly remote: string | undefined;
  readonly json: boolean;
  readonly watch: boolean;
  readonly help: boolean;
  /** The properties of the verb's input that are on the command line. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly fields: FieldOptions | null;
  /** The file to write the command's text to; standard output if left out. */
  readonly file: string | undefined;
}

/** How to set the fields of the one object in a verb's input. */
export interface FieldOptions {
  readonly property: string;
  readonly set: readonly string[];
  readonly setEnv: readonly string[];
  readonly stdin: boolean;
}

/** @throws OperatorError `usage`, which names options and never a value, because a value may be a misplaced secret */
export function parseCommand(args: readonly string[], shape: CommandShape): ParsedCommand {
  const given = new Map<string, (string | boolean)[]>();
  const positionals: string[] = [];
  for (const token of tokensOf(args, shape)) {
    if (token.kind === "positional") positionals.push(token.value);
    else if (token.kind === "option") take(token, shape, given);
  }
  const isOpen = shape.positional.at(-1)?.kind === "list";
  if (positionals.length > shape.positional.length && !isOpen) throw tooMany(shape);

  const one = (name: string): string | undefined => given.get(name)?.[0] as string | undefined;
  const input: Record<string, unknown> = {};
  for (const [at, { property, kind }] of shape.positional.entries()) {
    if (at < positionals.length && property !== null)
      input[property] = kind === "list" ? positionals.slice(at) : positionals[at];
  }
  for (const option of shape.options) {
    const values = given.get(option.name);
    if (values !== undefined && option.property !== null && option.fills !== true) {
      input[option.property] = valueOf(option, values);
    }
  }
  return {
    dataDir: one("data-dir"),
    project: one("project"),
    remote: one("remote"),
    json: given.has("json"),
    watch: given.has("watch"),
    help: given.has("help"),
    input,
    fields: fieldsOf(shape, given),
    file: shape.positional.at(-1)?.property === null ? positionals[shape.positional.length - 1] : undefined,
  };
}

function tokensOf(args: readonly string[], { options }: CommandShape) {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        options.map(({ name, kind, short }) => [
          name,
          {
            type: kind === "switch" ? ("boolean" as const) : ("string" as const),
            ...(short !== undefined && { short }),
          },
        ]),
      ),
      help: { type: "boolean", short: "h" },
    },
  });
  return tokens;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function take(
  token: OptionToken,
  { positional, options, lastCounts }: CommandShape,
  given: Map<string, (string | boolean)[]>,
): void {
  const negated = token.name.startsWith("no-");
  const name = negated ? token.name.slice(3) : token.name;
  const option = options.find((known) => known.name === name);
  if (option === undefined || (negated && (option.kind !== "switch" || option.property === null))) {
    const byPosition = positional.find((known) => known.name === token.name);
    throw usage(
      byPosition === undefined
        ? `Unknown option ${token.rawName}.${hint(token.name, options)}`
        : `${byPosition.placeholder} is an argument of this command, not an option: give it without ${token.rawName}.`,
    );
  }
  const values = lastCounts && option.kind !== "list" ? [] : (given.get(name) ?? []);
  if (values.length > 0 && option.kind !== "list") throw usage(`--${name} may be given only once.`);
  if (option.kind === "switch") {
    if (token.value !== undefined) throw usage(`--${name} does not take a value.`);
    values.push(!negated);
  } else {
    if (token.value === undefined) throw usage(`--${name} needs a value.`);
    if (token.inlineValue !== true && /^-./.test(token.value)) {
      throw usage(`--${name} needs a value. Write a value that starts with a dash as --${name}=-…`);
    }
    values.push(token.value);
  }
  given.set(name, values);
}

function valueOf({ kind }: Option, values: readonly (string | boolean)[]): unknown {
  if (kind === "list") return values;
  // A number too large to be exact is still a number: the schema checks its range.
  if (kind === "number" && /^-?\d{1,300}(\.\d{1,15})?$/.test(String(values[0]))) return Number(values[0]);
  return values[0];
}

function fieldsOf({ options }: CommandShape, given: Map<string, (string | boolean)[]>): FieldOptions | null {
  const property = options.find(({ fills }) => fills === true)?.property;
  if (property === undefined || property === null) return null;
  const list = (name: string) => (given.get(name) ?? []) as string[];
  return { property, set: list("set"), setEnv: list("set-env"), stdin: given.has("stdin") };
}

function tooMany({ positional, options }: CommandShape): OperatorError {
  const name = options.find(({ property }) => property === "name");
  const named = name === undefined ? "" : ` A name is given with --name ${name.placeholder}.`;
  const takes = positional.length === 0 ? "no argument" : `only ${positional.map((o) => o.placeholder).join(" ")}`;
  return usage(
    `There are too many arguments: the command takes ${takes} besides its options.${named} Put quotes around a value that contains spaces.`,
  );
}

function hint(name: string, options: readonly Option[]): string {
  const names = options.filter(({ isHidden }) => isHidden !== true).map((option) => option.name);
  const question = didYouMeanAnyOf(name, names, "--");
  return question === null ? "" : ` ${question}`;
}

export function usage(message: string): OperatorError {
  return new OperatorError("usage", message);
}
