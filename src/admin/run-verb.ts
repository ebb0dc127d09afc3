import type { ErrorObject, ValidateFunction } from "ajv";
import type { Static, TObject } from "typebox";
import type { FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { createAjv } from "../terms/schema/ajv.ts";
import { toProblem } from "../terms/schema/schema-problem.ts";
import type { GivenToVerbs, VerbCall, Need } from "./needs.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { TextStream, Verb } from "./verb.ts";
import { stepsOf } from "../terms/json/json-pointer.ts";

/** Input that does not match the verb's schema. The message names every invalid field and no value. */
export class InputError extends OperatorError {
  readonly problems: readonly FieldProblem[];
  constructor(problems: readonly FieldProblem[]) {
    super("invalid", problems.map(({ path, message }) => `${path} ${message}`).join("; "));
    this.name = "InputError";
    this.problems = problems;
  }
}

/**
 * Runs a verb: checks its input, passes only the needs that it names, and records its changes under its name.
 * @throws OperatorError
 */
export async function runVerb(name: string, verb: Verb, input: unknown, given: GivenToVerbs): Promise<JsonObject> {
  return verb.run(checkInput(verb, input), callOf(name, verb, given));
}

/** The same for a verb that produces a text. @throws OperatorError */
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
  // Only the needs of the verb's type; the getters of others are not called.
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
  for (const error of isLong(input) ? first : errorsIn(compile(reducedTo(schema, input), true), input)) {
    const problem = toProblem({ ...error, parentSchema: speakerOf(schema, error.instancePath) });
    if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  }
  return [...byPath.values()];
}

function errorsIn(validate: ValidateFunction, input: unknown): readonly ErrorObject[] {
  validate(input);
  return validate.errors ?? [];
}

/** `null` for schemas that were used once; the validator of those used again. */
const checked = new WeakMap<TObject, ValidateFunction | null>();

/**
 * A validator that finds only the first error, so that a list that is too long is not checked entry by entry. Compiling
 * takes time for each option, and `start` has sixty. The first check in a process, which is a command's only one,
 * compiles only the given options. A service compiles the whole schema at the second check, and caches it.
 */
function validatorOf(schema: TObject, input: unknown): ValidateFunction {
  const known = checked.get(schema);
  if (known !== undefined && known !== null) return known;
  const validate = compile(known === null ? schema : reducedTo(schema, input), false);
  checked.set(schema, known === null ? validate : null);
  return validate;
}

function compile(schema: object, allErrors: boolean): ValidateFunction {
  // Not checked, because schemas of verbs are valid.
  return createAjv({ allErrors, meta: false, validateSchema: false }).compile(schema);
}

/** The most input values whose problems are all reported. An input over the network may have a hundred thousand. */
const VALUES_ALL_REPORTED_MAX = 200;

function isLong(input: unknown): boolean {
  const pending = [input];
  for (let visited = 0; pending.length > 0; visited += 1) {
    if (visited + pending.length > VALUES_ALL_REPORTED_MAX) return true;
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value);
    if (parts.length > VALUES_ALL_REPORTED_MAX) return true;
    pending.push(...(parts as unknown[]));
  }
  return false;
}

/** The schema reduced to the options that the input has. */
function reducedTo(schema: TObject, input: unknown): object {
  if (typeof input !== "object" || input === null) return schema;
  const properties = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(input, name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * The schema whose `x-says` describes a problem: that of the property, or of the list's entries if they have their own.
 */
function speakerOf(schema: TObject, path: string): unknown {
  const [property = "", ...inside] = stepsOf(path);
  const declared = schema.properties[property] as { readonly items?: object } | undefined;
  const entry = inside.length === 0 ? undefined : declared?.items;
  return entry !== undefined && "x-says" in entry ? entry : declared;
}
