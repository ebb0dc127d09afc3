import type { RunnableSource } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import type { SourceCase } from "../sdk/source.ts";
import type { Context } from "../terms/caller.ts";
import { type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { asList } from "./as-list.ts";
import { maskReply, type Words } from "./mask-reply.ts";
import { createMasking, maskValues } from "./mask-values.ts";
import { playCase } from "./play-case.ts";
import type { CaseParts } from "./ports.ts";

/** Observations of one live call, and its result. */
export interface SeenLive {
  readonly name: string;
  readonly inputs: JsonObject;
  /** The inputs were given by hand and not taken from a case, so they may be personal data. */
  readonly inputsArePrivate: boolean;
  readonly context: Context;
  readonly replies: readonly Reply[];
  /** Whether there was a record, or the kind of failure. */
  readonly outcome: boolean | string;
}

/**
 * Makes a case from a live call with all values masked, and runs it. The masked reply must lead to the same result as
 * the real one; otherwise the case would show a reply that the vendor never sent. @throws Error with the reason if no
 * case can be made
 */
export async function recordCase(
  source: RunnableSource,
  seen: SeenLive,
  words: Words,
  parts: CaseParts,
): Promise<SourceCase> {
  if (seen.replies.length === 0) throw new Error("the vendor's reply did not reach the source");
  const masking = createMasking(words.texts, words.names);
  const inputs = seen.inputsArePrivate ? (maskValues(seen.inputs, masking) as JsonObject) : seen.inputs;
  const replies = seen.replies.map((reply) => maskReply(reply, masking, words));
  const draft: SourceCase = {
    name: seen.name,
    inputs,
    ...(seen.context === "dev" ? {} : { context: seen.context }),
    reply: replies.length === 1 ? replies[0]! : replies,
    expect: typeof seen.outcome === "string" ? { failure: seen.outcome } : { match: seen.outcome },
  };
  const { answer, fault } = await playCase(source, draft, parts);
  const came = answer === null ? fault!.row.kind : answer.match;
  if (came !== seen.outcome) {
    throw new Error(`with masked values the result differs: ${say(came)} instead of ${say(seen.outcome)}`);
  }
  if (answer === null) return draft;
  const output = readJsonExactly(String(answer.json)) as JsonObject;
  return { ...draft, expect: { match: answer.match, ...(Object.keys(output).length === 0 ? {} : { output }) } };
}

/**
 * The words of a source's own rules: quoted texts in its file, constants of its output schema, and texts in the replies
 * of its cases. The meaning of a reply depends on them, so they are not masked. Names are all words in the file.
 */
export function wordsOfRules(text: string, source: RunnableSource): Words {
  const rules = text.split(/^cases:/m)[0]!;
  const words = new Set<string>();
  for (const [, single, double, tick] of rules.matchAll(/'([^'\n]{1,60})'|"([^"\n]{1,60})"|`([^`\n]{1,60})`/g)) {
    for (const quoted of [single, double, tick]) if (quoted !== undefined) words.add(quoted.replaceAll(/^"|"$/g, ""));
  }
  collectConstants(source.declaration.output, words);
  // Texts in the file's cases are public already, and are mostly words of the vendor's format.
  for (const { reply } of source.declaration.cases ?? []) collectTexts(reply, words);
  const names = new Set(
    [...rules.matchAll(/[@#$]?[\p{L}_][\p{L}\p{N}_.-]*/gu)].flatMap(([name]) => [name, ...name.split(".")]),
  );
  for (const { inputs, reply } of source.declaration.cases ?? [])
    for (const each of [inputs, reply]) collectNames(each, names);
  return { texts: words, names };
}

function collectTexts(value: unknown, words: Set<string>): void {
  if (typeof value === "string") words.add(value);
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectTexts(part, words);
}

/** Collects the names of all members. */
export function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    collectNames(part, names);
  }
}

function collectConstants(schema: unknown, words: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === "const" || name === "enum") for (const word of asList<unknown>(value)) words.add(String(word));
    else collectConstants(value, words);
  }
}

function say(outcome: boolean | string): string {
  return typeof outcome === "string" ? `a failure (${outcome})` : outcome ? "a record" : "no record";
}
