import type { DocumentLocation } from "../format/read-document.ts";
import { asItIs, inPlainText } from "../request/encodings.ts";
import { addressOf, type RenderedRequest, type RequestPart } from "../request/render-request.ts";
import { absentOrigin, fill, namesIn, valueProblem, type Template, type TemplateValues } from "../request/template.ts";

/** The names below `request`, in texts that are computed from a request. */
export const OF_REQUEST = ["method", "host", "path", "query", "body", "url"];

/** Roots whose values this service provides. They are inserted into the signed text without encoding. */
const OURS = new Set(["request", "clock", "nonce", "request_id", "derived", "template"]);

const COVERED: readonly (readonly [name: string, parts: readonly RequestPart[]])[] = [
  ["request.path", ["path"]],
  ["request.query", ["query"]],
  ["request.url", ["path", "query"]],
  ["request.body", ["body"]],
];

/** The parts of a request that templates of this part of the file use. */
export function coveredBy(written: unknown, place: DocumentLocation): ReadonlySet<RequestPart> {
  const names = namesIn(written, place);
  return new Set(COVERED.flatMap(([name, parts]) => (names.has(name) ? parts : [])));
}

/** The values below `request`. A multipart body is refused when the file is compiled. */
export function partsOf(request: RenderedRequest): Record<string, string> {
  const { method, host, path, query, body = "" } = request;
  return { method, host, path, query, body: String(body), url: addressOf(request) };
}

/** The text to sign. A value of the caller or of the credential must not become several lines. @throws Fault */
export function signedText(text: Template, values: TemplateValues): string {
  let written = "";
  for (const part of text) {
    if (typeof part === "string") written += part;
    else {
      const filled = fill([part], values, isOurs(part) ? asItIs : inPlainText);
      if (filled === undefined) throw valueProblem(absentOrigin([part], values), "is needed for the signature");
      written += filled;
    }
  }
  return written;
}

function isOurs(part: Template[number]): boolean {
  return typeof part === "string" || (part.joined === undefined ? OURS.has(part.root) : part.joined.every(isOurs));
}
