import { existsSync, readFileSync } from "node:fs";
import { AUTH_WORDS, DRAFT_METHODS, DRAFT_METHODS_LIST } from "../sources/declarative/draft-words.ts";
import { draftAuth } from "./draft-auth.ts";
import { OTHER_METHODS, typedRequest } from "./draft-request.ts";
import type { SourceDraft } from "./draft-source.ts";
import type { Imported } from "./imports/imported.ts";
import { isXmlText, readXmlSample } from "./sample-text.ts";
import { CHARGE_MODELS, type ChargeModel } from "../terms/money/charge.ts";
import { toUtf8 } from "../terms/text/charset.ts";
import { decodeUtf8, isJsonObject, type Json, JSON_LIMITS, JsonError, parseJson } from "../terms/json/json.ts";
import { firstJsonError } from "../terms/json/first-json-error.ts";
import type { Terminal } from "./ports.ts";
import { OperatorError } from "../terms/operator-error.ts";

/** The questions of a draft in order. Each is also an option of `source new`. */
export const QUESTIONS = [
  { name: "title", asks: "A short title" },
  { name: "docs", asks: "The address of the vendor's documentation", otherwise: "" },
  { name: "method", asks: `Method: ${DRAFT_METHODS_LIST}`, otherwise: "GET" },
  {
    name: "url",
    asks: "Address of the request, with inputs in braces, such as https://api.vendor.example/people/{email}",
  },
  { name: "body", asks: "JSON body, with inputs in braces, or nothing", otherwise: "" },
  { name: "auth", asks: `Authentication: ${AUTH_WORDS}`, otherwise: "none" },
  { name: "sample", asks: "One sample reply: a file, or JSON or XML that ends with an empty line" },
  {
    name: "nobody",
    asks: "How the vendor reports that it found nothing: a status such as 404, or a file with such a reply",
  },
  {
    name: "charge",
    asks: `What the vendor bills: ${CHARGE_MODELS.join(", ")} (per request, completed request or record)`,
    otherwise: "per_call",
  },
] as const;

/** The answers given as options. */
export type DraftAnswers = { readonly [name in Name]?: string };

type Name = (typeof QUESTIONS)[number]["name"];
const BODY_ONLY_WITH = new Set(DRAFT_METHODS.filter((method) => method !== "GET"));
/** Questions whose answers come from an import, if there is one. */
const OF_REQUEST: ReadonlySet<Name> = new Set(["method", "url", "body"]);

/**
 * Uses the given or imported answers and asks a person for the rest. The reply for "nobody found" is never guessed.
 * @throws OperatorError that names the missing or invalid answer
 */
export async function askForDraft(
  given: DraftAnswers,
  terminal: Terminal,
  imported?: Imported,
): Promise<Omit<SourceDraft, "id">> {
  const asking = terminal.interactive === true;
  const known = imported === undefined ? {} : knownOf(imported);
  const answers: Partial<Record<Name, string>> = {};
  const missing: string[] = [];
  for (const question of QUESTIONS) {
    const { name } = question;
    if (imported !== undefined && OF_REQUEST.has(name)) {
      if (given[name] !== undefined)
        throw new OperatorError("usage", `--${name} follows from the import: leave it out.`);
      continue;
    }
    const otherwise = "otherwise" in question ? question.otherwise : undefined;
    if (name === "body" && !BODY_ONLY_WITH.has(answers.method!.toUpperCase()) && given["body"] === undefined) continue;
    if (given[name] === undefined && known[name] === null) continue;
    const asks = name === "nobody" ? `${question.asks}${toldOf(imported)}` : question.asks;
    const answer =
      given[name] ?? known[name] ?? (asking ? await ask(terminal, asks, otherwise, name === "sample") : otherwise);
    if (answer === undefined) missing.push(`--${name}`);
    else answers[name] = answer;
  }
  if (missing.length > 0) {
    const why = missing.includes("--nobody")
      ? " Only the vendor's documentation shows which reply means that nothing was found, so it is never guessed."
      : "";
    throw new OperatorError(
      "usage",
      `There is no terminal for questions: give ${missing.join(", ")}.${why}${toldOf(imported)}`,
    );
  }
  const { docs = "" } = answers;
  const shown: DraftSample =
    answers.sample === undefined
      ? { sample: imported!.sample!, format: imported!.format }
      : await readSample(answers.sample, terminal);
  const nobody = answers.nobody!.trim();
  return {
    ...(imported ?? (await typed(answers, terminal))),
    title: answers.title!,
    docs: docs === "" ? undefined : docs,
    sample: shown.sample,
    format: shown.format,
    nobody: noFault(
      /^\d{3}$/.test(nobody) ? { status: statusOf(nobody) } : nobodyLike(shown, readText(nobody), nobody),
      imported,
    ),
    charge: chargeOf(answers.charge!.trim()),
  };
}

/** The answers that an import contains; `null` if the question does not apply. */
function knownOf({ title, docs, sample }: Imported): Partial<Record<Name, string | null>> {
  return {
    auth: null,
    ...(title === undefined ? {} : { title }),
    ...(docs === undefined ? {} : { docs }),
    ...(sample === undefined ? {} : { sample: null }),
  };
}

function toldOf(imported: Imported | undefined): string {
  const told = imported?.otherStatuses ?? [];
  return told.length === 0 ? "" : ` (The document lists ${told.join(", ")}.)`;
}

/** @throws OperatorError | RangeError */
async function typed(answers: Partial<Record<Name, string>>, terminal: Terminal) {
  const method = answers.method!.toUpperCase();
  if (!DRAFT_METHODS.includes(method)) throw new OperatorError("usage", `The method cannot be used: ${OTHER_METHODS}.`);
  const { body = "" } = answers;
  if (body !== "" && !BODY_ONLY_WITH.has(method)) throw new OperatorError("usage", `A ${method} has no body.`);
  const json = body === "" ? undefined : readJson(body, "The body");
  try {
    const request = typedRequest({ method, url: answers.url!.trim(), body: json });
    return { request, auth: draftAuth(await loginOf(answers.auth!.trim(), terminal)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError("invalid", `No source can be written from this: ${error.message}.`, { cause: error });
  }
}

/** Asks for the login address if the answer was only "oauth2". */
async function loginOf(word: string, terminal: Terminal): Promise<string> {
  if (terminal.interactive !== true || !/^oauth2(?:_password)?$/.test(word)) return word;
  return `${word}:${await ask(terminal, "Address of the login, which answers with a token", undefined, false)}`;
}

/** Repeats the question until there is an answer. A pasted sample may have several lines. */
async function ask(
  terminal: Terminal,
  asks: string,
  otherwise: string | undefined,
  isSample: boolean,
): Promise<string> {
  for (;;) {
    const line = await terminal.ask(`${asks}${otherwise === undefined || otherwise === "" ? "" : ` [${otherwise}]`}: `);
    if (line === null) throw new OperatorError("usage", "The input ended before all questions were answered.");
    const answer = isSample && /^\s*[[{<]/.test(line) ? await restOf(line, terminal) : line.trim();
    if (answer !== "") return answer;
    if (otherwise !== undefined) return otherwise;
  }
}

async function restOf(first: string, terminal: Terminal): Promise<string> {
  const lines = [first];
  for (let line = await terminal.ask(""); line !== null && line.trim() !== ""; line = await terminal.ask(""))
    lines.push(line);
  return lines.join("\n");
}

type DraftSample = Pick<SourceDraft, "sample" | "format">;

async function readSample(answer: string, terminal: Terminal): Promise<DraftSample> {
  if (answer === "-") return readReply(await terminal.readAll(), "Standard input");
  const isText = /^\s*[[{<]/.test(answer);
  return readReply(isText ? answer : readText(answer), isText ? "The sample" : `The sample ${answer}`);
}

function nobodyLike({ format }: DraftSample, text: string, file: string): SourceDraft["nobody"] {
  const read = readReply(text, `The reply for nobody ${file}`);
  if (read.format === format) return { sample: read.sample };
  throw new OperatorError("usage", "The sample and the reply of --nobody must both be JSON, or both XML.");
}

/** A draft from WSDL reads every fault as a failure. @throws OperatorError */
function noFault(nobody: SourceDraft["nobody"], imported: Imported | undefined): SourceDraft["nobody"] {
  const sample = "sample" in nobody ? nobody.sample : null;
  const fault = ["Envelope", "Body", "Fault"].reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    sample,
  );
  if (imported?.errors === undefined || fault === undefined) return nobody;
  const advice = "Give --nobody 404; then move the row of this fault from errors to match.no_record in the file.";
  throw new OperatorError("usage", `The reply of --nobody is a fault, which is a failure in the draft. ${advice}`);
}

function readReply(text: string, what: string): DraftSample {
  if (!isXmlText(text)) return { sample: readJson(text, what) };
  try {
    return { sample: readXmlSample(text), format: "xml" };
  } catch (error) {
    throw new OperatorError("usage", `${what} is not XML that can be read (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

function readText(file: string): string {
  if (!existsSync(file)) throw new OperatorError("not_found", `There is no file ${file}.`);
  const bytes = readFileSync(file);
  try {
    return decodeUtf8(toUtf8(bytes));
  } catch {
    // The parser of the text reports the problem.
    return bytes.toString("utf8");
  }
}

function readJson(text: string, what: string): Json {
  try {
    return parseJson(Buffer.from(text), JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const why = error.problem === "syntax" ? (firstJsonError(text) ?? error.problem) : error.problem;
    throw new OperatorError("usage", `${what} is not valid JSON (${why}).`);
  }
}

function chargeOf(word: string): ChargeModel {
  const charge = CHARGE_MODELS.find((known) => known === word);
  if (charge === undefined) throw new OperatorError("usage", `The charge must be one of ${CHARGE_MODELS.join(", ")}.`);
  return charge;
}

function statusOf(text: string): number {
  const status = Number(text);
  if (status < 400 || status > 599)
    throw new OperatorError(
      "usage",
      "--nobody takes a status from 400 to 599. If the vendor uses a 200 when it finds nobody, give a file with that reply.",
    );
  return status;
}
