import { readFileSync } from "node:fs";
import type { RunnableSource } from "../../run/ports.ts";
import type { SourceCase } from "../../sdk/source.ts";
import { recordCase, wordsOfRules } from "../../simulation/record-case.ts";
import { addCase } from "../../sources/declarative/source-text.ts";
import type { Context } from "../../terms/caller.ts";
import { type JsonObject, readJsonExactly } from "../../terms/json/json.ts";
import { outcomeOf } from "./ask-vendor.ts";
import type { LiveAnswer, AuthoringTools } from "./ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { replaceFile, requireFile, shownPath } from "./source-files.ts";

export interface LiveCall {
  readonly source: RunnableSource;
  readonly inputs: JsonObject;
  readonly inputsArePrivate: boolean;
  readonly context: Context;
  readonly answer: LiveAnswer;
}

/**
 * Writes a case from a call made at `wallAt` (Unix ms), and returns the file.
 * @throws OperatorError without having written anything
 */
export async function recordLive(liveCall: LiveCall, tools: AuthoringTools, wallAt: number): Promise<string> {
  const { source, answer } = liveCall;
  const { path, from } = requireFile(tools, source.id);
  const text = readFileSync(path, "utf8");
  const day = new Date(wallAt).toISOString().slice(0, 10);
  const outcome = answer.output === null ? answer.report.fault!.row.kind : answer.report.match;
  const usedNames = new Set((source.declaration.cases ?? []).map(({ name }) => name));
  const plain = `as the vendor answered on ${day}`;
  let name = plain;
  for (let count = 2; usedNames.has(name); count += 1) name = `${plain} (${count})`;
  const seen = { ...liveCall, name, replies: answer.replies, outcome };
  try {
    const added = await recordCase(source, seen, wordsOfRules(text, source), tools.cases);
    return shownPath(writeCase(path, text, added));
  } catch (error) {
    throw new OperatorError(
      "refused",
      `The vendor was called (${outcomeOf(answer)}, charged: ${answer.report.charged}), and no case was written to the ${from}'s file: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}

function writeCase(path: string, text: string, added: SourceCase): string {
  if (/\.ya?ml$/.test(path) && /^cases:/m.test(text)) {
    replaceFile(path, addCase(text, added));
    return path;
  }
  const beside = path.replace(/\.\w+$/, ".cases.json");
  const before = readCases(beside);
  if (before === null && /\bcases\s*:/.test(text))
    throw new Error(`its cases are in the code of ${path}; move them to ${beside}`);
  replaceFile(beside, `${JSON.stringify([...(before ?? []), added], null, 2)}\n`);
  return beside;
}

function readCases(file: string): readonly SourceCase[] | null {
  try {
    return readJsonExactly(readFileSync(file, "utf8")) as unknown as readonly SourceCase[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
