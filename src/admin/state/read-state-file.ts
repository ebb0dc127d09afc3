import { hash } from "node:crypto";
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";
import { stepsOf } from "../../terms/json/json-pointer.ts";
import type { FieldProblem } from "../../terms/fault.ts";
import { createAjv } from "../../terms/schema/ajv.ts";
import { toProblem } from "../../terms/schema/schema-problem.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { checkInput, InputError } from "../run-verb.ts";
import { type StateFile, stateSchema } from "./state-schema.ts";

export type Steps = readonly (string | number)[];

/** A state file whose form is right. */
export interface ParsedStateFile {
  readonly file: StateFile;
  /** The digest of its text. */
  readonly digest: string;
  /** Refuses something in it by line and column. @throws OperatorError */
  refuse(at: Steps, says: string): never;
}

const ALIASES_MAX = 100;

/** @throws OperatorError whose lines begin with `LINE:COLUMN: ` */
export function parseStateFile(text: string): ParsedStateFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    prettyErrors: false,
    stringKeys: true,
    lineCounter: lines,
  });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken !== undefined) throw invalid(`${position(broken.pos[0])}: ${broken.message.replaceAll(/\s+/g, " ")}`);
  const at = (steps: Steps) => position(offsetOf(document.contents, steps));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch {
    throw invalid("1:1: The aliases of the file cannot be resolved.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("1:1: A state file is an object with `version: 1`.");
  try {
    checkInput({ input: stateSchema }, value);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw invalid(
      problemsIn(value)
        .map(({ path, message }) => `${at(stepsOf(path))}: ${nameAt(path)} ${message}.`)
        .join("\n"),
    );
  }
  return {
    file: value as StateFile,
    digest: hash("sha256", text, "hex"),
    refuse: (steps, says) => {
      throw invalid(`${at(steps)}: ${says}`);
    },
  };
}

const SHOWN_MAX = 20;

/** Every problem once, in the words of its schema. */
function problemsIn(value: unknown): readonly FieldProblem[] {
  const validate = createAjv({ allErrors: true, verbose: true }).compile(stateSchema);
  validate(value);
  const problems = new Map((validate.errors ?? []).map(toProblem).map((problem) => [problem.path, problem]));
  return [...problems.values()].slice(0, SHOWN_MAX);
}

/** `organizations[0].workflows[1].name`. */
function nameAt(path: string): string {
  return stepsOf(path)
    .map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}

/** The offset of a key or an entry of a list, or that of the nearest that exists above it. */
function offsetOf(contents: Node | null, steps: Steps): number {
  let found = contents;
  let offset = contents?.range?.[0] ?? 0;
  for (const step of steps) {
    if (isMap(found)) {
      const pair = found.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      found = pair.value as Node | null;
    } else if (isSeq(found)) {
      const item = found.items[Number(step)] as Node | undefined;
      if (item === undefined) break;
      offset = item.range?.[0] ?? offset;
      found = item;
    } else break;
  }
  return offset;
}

function invalid(message: string): OperatorError {
  return new OperatorError("invalid", message);
}
