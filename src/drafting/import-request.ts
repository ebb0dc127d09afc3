import { existsSync, readFileSync } from "node:fs";
import { createMasking, maskValues } from "../simulation/mask-values.ts";
import { draftAuth, logsIn } from "./draft-auth.ts";
import { draftCaptured, type CapturedRequest } from "./imports/captured-request.ts";
import type { ImportChoices, Imported } from "./imports/imported.ts";
import { ImportProblem } from "./imports/import-problem.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { HarEntry } from "./imports/read-har.ts";
import { EXAMPLE_TEXT } from "./imports/openapi-schema.ts";
import { didYouMean } from "../terms/text/nearest.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Terminal } from "./ports.ts";

/** The input of `source new` that concerns an existing request. */
export interface ImportInput {
  readonly from_curl?: string;
  readonly from_openapi?: string;
  readonly from_har?: string;
  readonly from_wsdl?: string;
  readonly operation?: string;
  readonly entry?: string;
  readonly fixed?: readonly string[];
  readonly examples?: JsonObject;
  readonly auth?: string;
  readonly sample?: string;
}

const SOURCES = ["from_curl", "from_openapi", "from_har", "from_wsdl"] as const;
const HIDE = createMasking(new Set([EXAMPLE_TEXT]), new Set());

/** Imports the request from a file, if one was named, and asks a person for the rest. @throws OperatorError */
export async function importRequest(
  input: ImportInput,
  terminal: Terminal,
  note: (sentence: string) => void,
): Promise<Imported | undefined> {
  const given = SOURCES.filter((name) => input[name] !== undefined);
  const [kind] = given;
  if (given.length > 1)
    throw new OperatorError("usage", "Give one of --from-curl, --from-openapi, --from-har and --from-wsdl.");
  const stray = Object.entries({
    "--entry": kind === "from_har" || input.entry,
    "--operation": kind === "from_wsdl" || input.operation,
    "--fixed": kind === "from_curl" || kind === "from_har" || input.fixed,
    "--set": kind ?? input.examples,
  });
  for (const [name, value] of stray)
    if (value !== undefined && value !== true && value !== kind)
      throw new OperatorError("usage", `${name} can be used only with its import.`);
  if (kind === undefined) return undefined;
  try {
    const imported = await read(kind, input, terminal);
    refuseStrayExamples(input.examples ?? {}, imported);
    for (const sentence of imported.notes) note(sentence);
    return imported;
  } catch (error) {
    if (error instanceof ImportProblem || error instanceof RangeError)
      throw new OperatorError("invalid", `Nothing was imported: ${error.message}.`, { cause: error });
    throw error;
  }
}

async function read(kind: (typeof SOURCES)[number], input: ImportInput, terminal: Terminal): Promise<Imported> {
  const choices: ImportChoices = {
    fixed: new Set(input.fixed),
    examples: input.examples ?? {},
    mask: (value) => maskValues(value, HIDE),
  };
  const named = input[kind]!;
  // Readers are loaded on demand, because other commands do not need them.
  if (kind === "from_openapi") {
    const [file = "", operation = ""] = named.split(/#(.*)/s, 2);
    const { readOpenApi } = await import("./imports/read-openapi.ts");
    return readOpenApi(readText(file), file, operation, input.auth, choices);
  }
  if (kind === "from_wsdl") {
    const { readWsdl } = await import("./imports/read-wsdl.ts");
    return readWsdl(readText(named), named, input.operation, input.auth, choices);
  }
  if (kind === "from_curl") {
    const { readCurl } = await import("./imports/read-curl.ts");
    const text = named === "-" ? await terminal.readAll() : readText(named);
    return takeOver(readCurl(text, named === "-" ? "standard input" : named), input, choices, terminal);
  }
  const { readHar } = await import("./imports/read-har.ts");
  const entry = await chooseEntry(readHar(readText(named), named), input.entry, terminal);
  const imported = await takeOver(entry.request(), input, choices, terminal);
  return input.sample === undefined ? { ...imported, ...entry.answer() } : imported;
}

/** @throws RangeError */
function refuseStrayExamples(examples: JsonObject, { request }: Imported): void {
  const inputs = request.inputs.map(({ name }) => name);
  const stray = Object.keys(examples).find((name) => !inputs.includes(name));
  if (stray === undefined) return;
  const those = inputs.length === 0 ? "it has none" : `its inputs are ${inputs.join(", ")}`;
  throw new RangeError(
    `no input of the request has the name "${stray}" that --set gives (${didYouMean(stray, inputs) ?? those})`,
  );
}

/** @throws ImportProblem | RangeError */
async function takeOver(
  captured: CapturedRequest,
  input: ImportInput,
  choices: ImportChoices,
  terminal: Terminal,
): Promise<Imported> {
  if (input.auth !== undefined) {
    const auth = draftAuth(input.auth.trim());
    const imported = draftCaptured(captured, logsIn(auth) ? { ...choices, login: auth } : choices);
    const { fields, kinds } = imported.auth;
    if (logsIn(imported.auth)) return { ...imported, notes: [...imported.notes, LOGIN_BEHIND] };
    if (kinds.length > 0 || Object.keys(fields).length > 0)
      return captured.refuse(
        "the request already contains its authentication",
        "leave out --auth; only a bearer token can be replaced by a login, as with oauth2:LOGIN_URL",
      );
    return { ...imported, auth };
  }
  const imported = draftCaptured(captured, choices);
  if (terminal.interactive !== true || input.fixed !== undefined || imported.request.inputs.length < 2) return imported;
  const taken = imported.request.inputs.map(({ name }) => name).join(", ");
  const line = await terminal.ask(
    `Values of the request: ${taken}. Which of them are constants, and not inputs? Names separated by commas, or nothing: `,
  );
  const names = (line ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0 ? imported : draftCaptured(captured, { ...choices, fixed: new Set(names) });
}

const LOGIN_BEHIND = "The bearer token of the request is assumed to be temporary. The login of --auth fetches it.";

async function chooseEntry(
  entries: readonly HarEntry[],
  wanted: string | undefined,
  terminal: Terminal,
): Promise<HarEntry> {
  const list = entries.map(({ number, shown }) => `  ${number}  ${shown}`).join("\n");
  const asked = wanted ?? (entries.length === 1 ? "1" : undefined);
  const named =
    asked ?? (terminal.interactive === true ? await terminal.ask(`Entries:\n${list}\nWhich entry: `) : null);
  if (named === null)
    throw new OperatorError(
      "usage",
      `The archive has ${entries.length} entries: give --entry with a number or an address.\n${list}`,
    );
  const text = named.trim();
  const found = /^\d+$/.test(text)
    ? entries.filter(({ number }) => number === Number(text))
    : entries.filter(({ url }) => url === text || url.split("?")[0] === text);
  if (found.length !== 1)
    throw new OperatorError(
      "usage",
      `${found.length === 0 ? "No entry" : `${found.length} entries`} of the archive ${found.length > 1 ? "have that address" : "matches --entry"}: give a number.\n${list}`,
    );
  return found[0]!;
}

function readText(file: string): string {
  if (!existsSync(file)) throw new OperatorError("not_found", `There is no file ${file}.`);
  return readFileSync(file, "utf8");
}
