import type { Verb } from "../../admin/verb.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { CommandIo } from "../command-io.ts";
import { cacheFolder, changeCache } from "./id-cache.ts";
import { listedKind, type ShownId, shownIds } from "./shown-ids.ts";
import { type NamedPlace, typedWhere } from "./typed-where.ts";

/** What says that there is none names it first, and then perhaps others that there are. */
const THERE_IS_NO = /^There is no (?:[a-z]+ )?[a-z]+ "?(\w+)"?\./;

export interface AskedVerb {
  readonly name: string;
  readonly verb: Verb;
  readonly input: object;
}

/**
 * Does the work of a verb for a person at a terminal, and keeps the ids that it shows, so that the shell can complete them
 * later. If they cannot be kept, the command does not fail.
 */
export async function notingIds(
  asked: AskedVerb,
  named: NamedPlace,
  { env }: CommandIo,
  work: () => Promise<JsonObject | null>,
): Promise<JsonObject | null> {
  const place = typedWhere(named, env, process.cwd());
  const change = (how: (known: readonly ShownId[]) => readonly ShownId[]): void => {
    try {
      const folder = place === null ? null : cacheFolder(env);
      if (folder !== null) changeCache(folder, place!, how);
    } catch {
      // A full disk, or a home that cannot be written.
    }
  };
  try {
    const result = await work();
    const shown = result === null ? [] : shownIds(namedBy(asked, result));
    if (shown.length > 0) change((known) => afterwards(asked, result!, shown, known));
    return result;
  } catch (thrown) {
    const [, missing] = (thrown instanceof OperatorError && THERE_IS_NO.exec(thrown.message)) || [];
    if (missing !== undefined) change((known) => known.filter(({ id }) => id !== missing));
    throw thrown;
  }
}

function afterwards(
  { name, verb, input }: AskedVerb,
  result: JsonObject,
  shown: readonly ShownId[],
  known: readonly ShownId[],
): readonly ShownId[] {
  if (verb.changes && (result["deleted"] === true || result["removed"] === true))
    return known.filter(({ id }) => id !== shown[0]!.id);
  // A list of all there are says also what there is no more.
  const isWhole = name.endsWith(" list") && Object.keys(input).length === 0 && result["next"] === undefined;
  const whole = isWhole ? listedKind(result) : null;
  return [...shown, ...known.filter(({ kind }) => kind !== whole)];
}

/** What is made is named by whoever makes it. */
function namedBy({ verb, input }: AskedVerb, result: JsonObject): JsonObject {
  const { name } = input as { readonly name?: unknown };
  return verb.changes && typeof name === "string" ? { name, ...result } : result;
}
