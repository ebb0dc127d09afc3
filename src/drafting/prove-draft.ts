import { createMasking, maskValues } from "../simulation/mask-values.ts";
import { playCase } from "../simulation/play-case.ts";
import { readQuery, type ReceivedRequest } from "../simulation/received-request.ts";
import { collectNames } from "../simulation/record-case.ts";
import { renderReport, runCases } from "../simulation/run-cases.ts";
import { authHeaders } from "./draft-auth.ts";
import { draftSource, type SourceDraft, writeDraft } from "./draft-source.ts";
import { isJsonObject, readJsonExactly, type Json, type JsonObject } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { DraftingTools } from "./ports.ts";

/**
 * Returns the text of a source file whose cases pass. The first case contains the complete request and the complete
 * output, so that a change of either makes it fail. `words`: words of an import that stay unmasked in samples.
 * @throws OperatorError
 */
export async function proveDraft(
  draft: SourceDraft,
  words: ReadonlySet<string> | undefined,
  schemaPath: string,
  tools: Pick<DraftingTools, "compile" | "cases">,
): Promise<string> {
  const { compile, cases } = tools;
  try {
    const source = draftSource(words === undefined ? draft : maskSamples(draft, words));
    const first = compile(writeDraft(source, schemaPath), DRAFT);
    const { answer, fault, requests } = await playCase(first, first.declaration.cases![0]!, cases);
    if (answer === null) throw new RangeError(`the sample is not recognised as a record (${fault!.says})`);
    const names = [...authHeaders(draft.auth), ...Object.keys(draft.request.headers).map((name) => name.toLowerCase())];
    const sent = requests.map((request) => expectedOf(request, names));
    const text = writeDraft(withSeen(source, sent, JSON.parse(String(answer.json)) as JsonObject), schemaPath);
    const report = await runCases(compile(text, DRAFT), cases);
    if (!report.passed) throw new RangeError(`its cases do not pass:\n${renderReport(report)}`);
    return text;
  } catch (error) {
    throw new OperatorError("invalid", `No source can be written from this: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Replaces the path in messages, because no file has been written. */
const DRAFT = "the draft";

/** The parts of a request that the source file determines. */
function expectedOf({ method, path, query, headers, body }: ReceivedRequest, names: readonly string[]): JsonObject {
  const type = headers["content-type"];
  const shown = [...names, "content-type"].filter((name) => headers[name] !== undefined);
  return {
    method,
    path,
    query: query as JsonObject,
    ...(shown.length === 0 ? {} : { headers: Object.fromEntries(shown.map((name) => [name, headers[name]!])) }),
    ...(body === "" ? {} : { body: bodyOf(body, type) }),
  };
}

function bodyOf(body: string, type: string | undefined): Json {
  if (type === "application/json") return readJsonExactly(body);
  return type === "application/x-www-form-urlencoded" ? (readQuery(body) as JsonObject) : body;
}

function withSeen(source: JsonObject, sent: readonly JsonObject[], output: JsonObject): JsonObject {
  const [found, ...others] = source["cases"] as readonly JsonObject[];
  const { reply, expect, ...asked } = found!;
  const expected = isJsonObject(expect) ? expect : {};
  const request = sent.length === 1 ? sent[0]! : [...sent];
  return { ...source, cases: [{ ...asked, request, reply: reply!, expect: { ...expected, output } }, ...others] };
}

/**
 * The draft with all values of its samples masked. Words are kept if the draft's rules use them to recognise a record,
 * or if the document lists them as constants.
 */
function maskSamples(draft: SourceDraft, words: ReadonlySet<string>): SourceDraft {
  const { sample, nobody } = draft;
  const rules = JSON.stringify(draftSource(draft)["match"]);
  const quoted = [...rules.matchAll(/'([^'\n]{1,60})'/g)].map(([, word]) => word!);
  const names = new Set<string>();
  for (const each of ["sample" in nobody ? nobody.sample : null, sample]) collectNames(each, names);
  const usual = [...names].filter((name) => USUAL_NAME.test(name));
  const masking = createMasking(new Set([...words, ...quoted]), new Set(usual));
  return {
    ...draft,
    sample: maskValues(sample, masking),
    nobody: "sample" in nobody ? { sample: maskValues(nobody.sample, masking) } : nobody,
  };
}

/** The usual form of member names: `CompanyName`, `STATUS_CODE`, `Line1`. Other names may be data. */
const USUAL_NAME = /^(?:[A-Z][A-Za-z]{0,40}|[A-Z][A-Z_]{0,40})\d{0,2}$/;
