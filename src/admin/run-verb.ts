import type { ErrorObject, ValidateFunction } from "ajv";
import type { Static, TObject } from "typebox";
import type { FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { createAjv } from "../terms/ajv.ts";
import { toProblem } from "../terms/schema-problem.ts";
import type { GivenToVerbs, VerbCall, Need } from "./needs.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { TextStream, Verb } from "./verb.ts";
import { stepsOf } from "../terms/json-pointer.ts";

/** The input of a verb does not match its schema. Names every wrong field and no value. */
export class InputError extends OperatorError {
  readonly problems: readonly FieldProblem[];
  constructor(problems: readonly FieldProblem[]) {
    super("invalid", problems.map(({ path, message }) => `${path} ${message}`).join("; "));
    this.name = "InputError";
    this.problems = problems;
  }
}

/**
 * Runs a verb: checks its input, gives it only what it has named, and records its changes under its name.
 * @throws OperatorError
 */
export async function runVerb(name: string, verb: Verb, input: unknown, given: GivenToVerbs): Promise<JsonObject> {
  return verb.run(checkInput(verb, input), callOf(name, verb, given));
}

/** The same for a verb that answers with a text. @throws OperatorError */
export async function streamVerb(
  name: string,
  verb: StreamedVerb,
  input: unknown,
  given: GivenToVerbs,
): Promise<TextStream> {
  return verb.stream.open(checkInput(verb, input), callOf(name, verb, given));
}

export type StreamedVerb = Verb & Required<Pick<Verb, "stream">>;

export function isStreamed(verb: Verb): verb is StreamedVerb {
  return verb.stream !== undefined;
}

function callOf(name: string, { needs }: Verb, given: GivenToVerbs): VerbCall<Need> {
  const { clock, actor, note, onProgress = () => {} } = given;
  const act = { ...actor, what: name, wallAt: clock.wall() };
  return { clock, actor, note, onProgress, act, ...namedOf(name, needs, given) };
}

function namedOf(name: string, needs: readonly Need[], given: GivenToVerbs): Pick<VerbCall<Need>, Need> {
  const missing = needs.find((need) => given[need] === undefined);
  if (missing !== undefined) throw new RangeError(`"${name}" needs ${missing}, which it is not given here`);
  // Only what the verb's type declares; the others are not even read.
  return Object.fromEntries(needs.map((need) => [need, given[need]])) as unknown as Pick<VerbCall<Need>, Need>;
}

/** Checks the input before anything is opened, and returns it unchanged. @throws InputError */
export function checkInput(verb: Pick<Verb, "input">, input: unknown): Static<TObject> {
  const problems = inputProblems(verb.input, input);
  if (problems.length > 0) throw new InputError(problems);
  return input as Static<TObject>;
}

function inputProblems(schema: TObject, input: unknown): FieldProblem[] {
  const first = errorsIn(validatorOf(schema, input), input);
  if (first.length === 0) return [];
  const byPath = new Map<string, FieldProblem>();
  for (const error of isLong(input) ? first : errorsIn(compile(givenOf(schema, input), true), input)) {
    const problem = toProblem({ ...error, parentSchema: speakerOf(schema, error.instancePath) });
    if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  }
  return [...byPath.values()];
}

function errorsIn(validate: ValidateFunction, input: unknown): readonly ErrorObject[] {
  validate(input);
  return validate.errors ?? [];
}

/** Schemas that were checked once, and validators of those that were checked again. */
const checked = new WeakMap<TObject, ValidateFunction | null>();

/**
 * Finds the first error alone, without looking at what comes after it, such as at each pair of a list that is too long.
 * Compiling takes time for each option, and `start` has sixty: the first check in a process, which is the only one of a
 * command, compiles the options that are given; a service compiles the whole schema at the second, and keeps it.
 */
function validatorOf(schema: TObject, input: unknown): ValidateFunction {
  const known = checked.get(schema);
  if (known !== undefined && known !== null) return known;
  const validate = compile(known === null ? schema : givenOf(schema, input), false);
  checked.set(schema, known === null ? validate : null);
  return validate;
}

function compile(schema: object, allErrors: boolean): ValidateFunction {
  // Our own schemas are valid, so they are not checked.
  return createAjv({ allErrors, meta: false, validateSchema: false }).compile(schema);
}

/** Nobody reads more problems than that, and an input over the network may have a hundred thousand. */
const VALUES_ALL_TOLD_MAX = 200;

function isLong(input: unknown): boolean {
  const left = [input];
  for (let seen = 0; left.length > 0; seen += 1) {
    if (seen + left.length > VALUES_ALL_TOLD_MAX) return true;
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value);
    if (parts.length > VALUES_ALL_TOLD_MAX) return true;
    left.push(...(parts as unknown[]));
  }
  return false;
}

/** The schema without the options that an input does not have. */
function givenOf(schema: TObject, input: unknown): object {
  if (typeof input !== "object" || input === null) return schema;
  const properties = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(input, name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** A problem inside a property is described with the texts of the property, or of the entries of a list if they have their own. */
function speakerOf(schema: TObject, path: string): unknown {
  const [property = "", ...inside] = stepsOf(path);
  const declared = schema.properties[property] as { readonly items?: object } | undefined;
  const entry = inside.length === 0 ? undefined : declared?.items;
  return entry !== undefined && "x-says" in entry ? entry : declared;
}
