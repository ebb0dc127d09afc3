import { existsSync, readFileSync } from "node:fs";
import type { SourceDraft } from "../../sources/declarative/authoring/draft-source.ts";
import { CHARGE_MODELS, type ChargeModel } from "../../terms/charge.ts";
import { type Json, JsonError, parseJson } from "../../terms/json.ts";
import { placeOfSlip } from "../../terms/json-slip.ts";
import type { Terminal } from "./ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** What `source new` needs to know, in the order in which it asks. Each is an option as well. */
export const QUESTIONS = [
  { name: "title", asks: "A short title", describes: "A short title for people" },
  {
    name: "docs",
    asks: "The address of the vendor's documentation",
    otherwise: "",
    describes: "The address of the vendor's documentation",
  },
  {
    name: "method",
    asks: "Method: GET, POST or PUT",
    otherwise: "GET",
    describes: "GET, POST or PUT; GET by default",
  },
  {
    name: "url",
    asks: "Address of the request, with inputs in braces, such as https://api.vendor.example/people/{email}",
    describes: "Address of the request, with inputs in braces",
  },
  {
    name: "body",
    asks: "JSON body, with inputs in braces, or nothing",
    otherwise: "",
    describes: "JSON body of the request, with inputs in braces",
  },
  {
    name: "auth",
    asks: "Authentication: none, basic, bearer, header:NAME or query:NAME (OAuth and other logins: none, and docs/reference/source-format.md#auth)",
    otherwise: "none",
    describes:
      "none, basic, bearer, header:NAME or query:NAME; none by default. Add OAuth and other logins to the file by hand",
  },
  {
    name: "sample",
    asks: "One sample reply: a file, or JSON that ends with an empty line",
    describes: "A file with one sample reply as JSON; - for standard input",
  },
  {
    name: "nobody",
    asks: "How the vendor says that it found nothing: a status, or a file with such a reply",
    otherwise: "404",
    describes: "A status, or a file with the reply if its status is 200; 404 by default",
  },
  {
    name: "charge",
    asks: `What the vendor bills: ${CHARGE_MODELS.join(", ")} (per request, completed request or record)`,
    otherwise: "per_call",
    describes: `${CHARGE_MODELS.join(", ")}; per_call by default`,
  },
] as const;

type Name = (typeof QUESTIONS)[number]["name"];
const BODY_ONLY_WITH = new Set(["POST", "PUT"]);

/** Takes what is given and asks a person for the rest. @throws OperatorError that names what is missing or wrong */
export async function askForDraft(
  given: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<Omit<SourceDraft, "id">> {
  const asking = terminal.interactive === true;
  const answers: Partial<Record<Name, string>> = {};
  const missing: string[] = [];
  for (const question of QUESTIONS) {
    const { name, asks } = question;
    const otherwise = "otherwise" in question ? question.otherwise : undefined;
    if (name === "body" && !BODY_ONLY_WITH.has(answers.method!.toUpperCase()) && given["body"] === undefined) continue;
    const answer = given[name] ?? (asking ? await ask(terminal, asks, otherwise, name === "sample") : otherwise);
    if (answer === undefined) missing.push(`--${name}`);
    else answers[name] = answer;
  }
  if (missing.length > 0) throw new OperatorError("usage", `Nobody is there to ask: give ${missing.join(", ")}.`);
  const method = answers.method!.toUpperCase();
  if (method !== "GET" && method !== "POST" && method !== "PUT")
    throw new OperatorError("usage", "The method is GET, POST or PUT.");
  const { body = "", docs = "" } = answers;
  if (body !== "" && method === "GET") throw new OperatorError("usage", "A GET has no body.");
  return {
    title: answers.title!,
    docs: docs === "" ? undefined : docs,
    method,
    url: answers.url!.trim(),
    body: body === "" ? undefined : readJson(body, "The body"),
    auth: answers.auth!.trim(),
    sample: await readSample(answers.sample!, terminal),
    nobody: /^\d{3}$/.test(answers.nobody!.trim())
      ? { status: statusOf(answers.nobody!) }
      : { sample: readJson(readText(answers.nobody!), `The reply for nobody ${answers.nobody!}`) },
    charge: chargeOf(answers.charge!.trim()),
  };
}

/** Asks until there is an answer. Pasted JSON may have many lines. */
async function ask(terminal: Terminal, asks: string, otherwise: string | undefined, isJson: boolean): Promise<string> {
  for (;;) {
    const line = await terminal.ask(`${asks}${otherwise === undefined || otherwise === "" ? "" : ` [${otherwise}]`}: `);
    if (line === null) throw new OperatorError("usage", "The answers ended before the questions did.");
    const answer = isJson && /^\s*[[{]/.test(line) ? await restOf(line, terminal) : line.trim();
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

async function readSample(answer: string, terminal: Terminal): Promise<Json> {
  if (answer === "-") {
    return readJson(await terminal.readAll(), "Standard input");
  }
  const isText = /^\s*[[{]/.test(answer);
  return readJson(isText ? answer : readText(answer), isText ? "The sample" : `The sample ${answer}`);
}

function readText(file: string): string {
  if (!existsSync(file)) throw new OperatorError("not_found", `There is no file ${file}.`);
  return readFileSync(file, "utf8");
}

function readJson(text: string, what: string): Json {
  try {
    return parseJson(Buffer.from(text), { depthMax: 64, keysPerObjectMax: 10_000 });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const why = error.problem === "syntax" ? (placeOfSlip(text) ?? error.problem) : error.problem;
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
      "A status that means nobody is from 400 to 599; with 200, give a file with the reply.",
    );
  return status;
}
