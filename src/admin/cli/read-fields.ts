import type { Readable } from "node:stream";
import { isJsonObject, type Json, JSON_LIMITS, type JsonObject, JsonError, parseJson } from "../../terms/json/json.ts";
import { type CommandIo, readStdin } from "./command-io.ts";
import { type FieldOptions, usage } from "./parse-command.ts";

const STDIN_BYTES_MAX = 1_048_576;

/**
 * The object that `--set`, `--set-env` and `--stdin` set together; `undefined` if none of them is used.
 * @throws OperatorError `usage`, which names fields and variables and never a value
 */
export async function readFields(options: FieldOptions, { stdin, env }: CommandIo): Promise<JsonObject | undefined> {
  if (options.set.length === 0 && options.setEnv.length === 0 && !options.stdin) return undefined;
  const fields = new Map<string, Json>();
  const add = (name: string, value: Json): void => {
    if (fields.has(name)) throw usage(`The field ${name} may be given only once.`);
    fields.set(name, value);
  };
  for (const text of options.set) add(...readSet(text));
  for (const text of options.setEnv) add(...readVariable(text, env));
  if (options.stdin) for (const [name, value] of Object.entries(await readObject(stdin))) add(name, value);
  return Object.fromEntries(fields);
}

function readSet(text: string): [string, Json] {
  const parts = /^([^=:]+)(:?=)(.*)$/s.exec(text);
  if (parts === null) throw usage("--set takes FIELD=VALUE, or FIELD:=JSON.");
  const [, name = "", how, value = ""] = parts;
  return [name, how === "=" ? value : readJson(Buffer.from(value), `The value of --set ${name}:=`)];
}

function readVariable(text: string, env: CommandIo["env"]): [string, string] {
  const [, name, variable] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(text) ?? [];
  if (name === undefined || variable === undefined) throw usage("--set-env takes FIELD=VARIABLE.");
  const value = env[variable];
  if (value === undefined) throw usage(`--set-env ${name}: the environment variable ${variable} is not set.`);
  return [name, value];
}

async function readObject(stdin: Readable): Promise<JsonObject> {
  const value = readJson(await readStdin(stdin, STDIN_BYTES_MAX), "Standard input");
  if (!isJsonObject(value)) throw usage("Standard input is not a JSON object.");
  return value;
}

function readJson(bytes: Buffer, what: string): Json {
  try {
    return parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`${what} is not valid JSON (${error.problem}).`);
  }
}
