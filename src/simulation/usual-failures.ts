import type { SourceCatalog } from "../run/ports.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";
import { didYouMeanAnyOf } from "../terms/text/nearest.ts";
import { printable } from "../terms/text/printable.ts";
import { isMagic, MAGIC, type Magic } from "./magic-inputs.ts";

/** Behaviour of vendors by source, for requests that ask for none. */
export type Failures = ReadonlyMap<string, Magic>;

/** The reason why a behaviour cannot be simulated, as a sentence. */
export class CannotSimulate extends Error {}

export interface KnownSources extends SourceCatalog {
  readonly ids: readonly string[];
}

/** Parses texts of the form `gleif__lei_record=timeout`. The last text for a source applies. @throws CannotSimulate */
export function failuresFromTexts(texts: readonly string[], sources: KnownSources): Failures {
  const pairs = texts.map((text) => {
    const end = text.indexOf("=");
    if (end === -1) throw new CannotSimulate(`"${shown(text)}" must have the form SOURCE=FAILURE, such as ${EXAMPLE}.`);
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
  return checked(pairs, sources);
}

/**
 * Parses an object of the form `{"gleif__lei_record": "timeout"}`, as in the input `simulate`. @throws CannotSimulate
 */
export function failuresFromJson(given: Json | undefined, sources: KnownSources): Failures {
  if (!isJsonObject(given))
    throw new CannotSimulate(`The body must be an object, such as {"${EXAMPLE_SOURCE}": "timeout"}.`);
  return checked(Object.entries(given), sources);
}

const EXAMPLE_SOURCE = "gleif__lei_record";
const EXAMPLE = `${EXAMPLE_SOURCE}=timeout`;

function checked(pairs: readonly (readonly [id: string, failure: unknown])[], sources: KnownSources): Failures {
  return new Map(pairs.map(([id, failure]) => [knownSource(id, sources), knownFailure(id, failure)]));
}

function knownSource(id: string, sources: KnownSources): string {
  const source = sources.find(id);
  if (source === undefined) {
    throw new CannotSimulate(
      `There is no source "${shown(id)}". ${didYouMeanAnyOf(id, sources.ids) ?? "The catalog lists the sources."}`,
    );
  }
  if (!source.leavesMachine) throw new CannotSimulate(`"${id}" calls no vendor, so no failure can be simulated.`);
  return id;
}

function knownFailure(id: string, failure: unknown): Magic {
  if (isMagic(failure)) return failure;
  const meant = typeof failure === "string" ? didYouMeanAnyOf(failure, MAGIC) : null;
  throw new CannotSimulate(
    `"${shown(String(failure))}" is not a failure that can be simulated for ${id}. ${meant ?? `It is one of ${MAGIC.join(", ")}.`}`,
  );
}

function shown(text: string): string {
  return printable(text).slice(0, 100);
}
