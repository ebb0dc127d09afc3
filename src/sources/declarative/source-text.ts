import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { SourceCase } from "../../sdk/source.ts";
import { RECIPE } from "./format/format.ts";
import { toYaml } from "./write-yaml.ts";

/** Adds a case after the others of a source file. The rest of the text stays unchanged. */
export function addCase(text: string, added: SourceCase): string {
  const root = parseDocument(text).contents;
  const pair = isMap(root) ? root.items.find(({ key }) => isScalar(key) && key.value === "cases") : undefined;
  if (pair === undefined) return `${text.trimEnd()}\n\ncases:\n${indent(toYaml([added]), 2)}`;
  const list = pair.value;
  if (!isSeq(list) || list.flow === true || list.range === null || list.range === undefined) {
    throw new Error('its "cases" are not written one below the other');
  }
  const [start, end] = list.range;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  const rest = text.slice(end);
  return `${text.slice(0, end).trimEnd()}\n\n${indent(toYaml([added]), column)}${rest.trim() === "" ? "" : `\n${rest.trimStart()}`}`;
}

function indent(text: string, columns: number): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(columns));
}

/** The parts of a declarative source that describe requests and the meaning of replies, by key, as in its file. */
export function showRecipe(text: string): Readonly<Record<string, unknown>> {
  const file = parseDocument(text, { version: "1.2", schema: "core" }).toJS() as Readonly<Record<string, unknown>>;
  return Object.fromEntries(RECIPE.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]]])));
}
