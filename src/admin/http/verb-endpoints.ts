import type { TObject } from "typebox";
import { type VerbSet, verbPath } from "../find-verbs.ts";
import type { Verb } from "../verb.ts";

/** A verb as the admin API offers it. */
export interface VerbEndpoint {
  readonly name: string;
  readonly path: string;
  /** The inputs that work outside a terminal. */
  readonly verb: Verb;
}

/** The endpoint of a verb, or `null` if it works only in a terminal. */
export async function toEndpoint(name: string, verbs: VerbSet): Promise<VerbEndpoint | null> {
  const verb = await verbs.load(name);
  const { terminalOnly } = verb;
  if (terminalOnly === true) return null;
  return { name, path: verbPath(name), verb: { ...verb, input: without(verb.input, terminalOnly ?? []) } };
}

/** Every endpoint, sorted by path. */
export async function allEndpoints(verbs: VerbSet): Promise<readonly VerbEndpoint[]> {
  const found = await Promise.all(verbs.names.map((name) => toEndpoint(name, verbs)));
  return found.filter((endpoint) => endpoint !== null);
}

function without(input: TObject, names: readonly string[]): TObject {
  if (names.length === 0) return input;
  const properties = Object.fromEntries(Object.entries(input.properties).filter(([name]) => !names.includes(name)));
  return { ...input, properties } as TObject;
}
