import { toUtf8 } from "../../terms/text/charset.ts";
import { decodeUtf8, isJsonObject, readJsonExactly, type Json, type JsonObject } from "../../terms/json/json.ts";
import { firstJsonError } from "../../terms/json/first-json-error.ts";
import { isXmlText, readXmlSample } from "../sample-text.ts";
import type { CapturedRequest } from "./captured-request.ts";
import { shownAddress } from "./captured-values.ts";
import { ImportProblem } from "./import-problem.ts";
import type { Imported } from "./imported.ts";

/** One request of an archive with its reply. */
export interface HarEntry {
  /** Position in the archive, from 1. */
  readonly number: number;
  /** Method, address and status, for a list of choices. */
  readonly shown: string;
  readonly url: string;
  /** @throws ImportProblem for a body that a declarative source cannot express */
  request(): CapturedRequest;
  /** The reply. @throws ImportProblem unless it is a success in JSON or XML */
  answer(): Pick<Imported, "format"> & { readonly sample: Json; readonly status: number };
}

/** Parses an HTTP archive (HAR 1.2), as browsers save it. @throws ImportProblem */
export function readHar(text: string, file: string): readonly HarEntry[] {
  let archive: Json;
  try {
    archive = readJsonExactly(withoutMark(text));
  } catch {
    throw new ImportProblem(
      file,
      `it is not JSON (${firstJsonError(text) ?? "it has too many parts"})`,
      "save it as HAR with content",
    );
  }
  const log = isJsonObject(archive) ? archive["log"] : undefined;
  const entries = isJsonObject(log) ? log["entries"] : undefined;
  if (!Array.isArray(entries) || entries.length === 0)
    throw new ImportProblem(file, "it is not an HTTP archive: log.entries is empty or absent");
  return entries.map((entry: Json, index) => readEntry(entry, index + 1, `${file}, entry ${index + 1}`));
}

function readEntry(entry: Json, number: number, where: string): HarEntry {
  const refuse = (problem: string, instead?: string): never => {
    throw new ImportProblem(where, problem, instead);
  };
  const request = member(entry, "request");
  const response = member(entry, "response");
  const url = text(request["url"]);
  const method = text(request["method"]).toUpperCase();
  const posted = member(request, "postData");
  const cookies = list(request["cookies"]);
  const headers = list(request["headers"]).map((one) => [text(one["name"]), text(one["value"])] as const);
  const hasCookie = headers.some(([name]) => name.toLowerCase() === "cookie");
  return {
    number,
    shown: `${/^[A-Z]{1,10}$/.test(method) ? method : "?"} ${shownAddress(url)} (${Number(response["status"]) || "no answer"})`,
    url,
    request: () => ({
      method,
      url,
      headers: [
        ...headers.filter(([name]) => name.toLowerCase() !== "user-agent"),
        ...(hasCookie || cookies.length === 0 ? [] : [["Cookie", "from the archive"] as const]),
      ],
      body: bodyOf(posted, refuse),
      user: undefined,
      timeoutMs: undefined,
      hasPlaceholders: false,
      refuse,
      notes: headers.some(([name]) => name.toLowerCase() === "user-agent")
        ? ["User-Agent is the browser's own and is left out."]
        : [],
    }),
    answer() {
      const status = Number(response["status"]);
      if (!(status >= 200 && status < 300))
        return refuse("its reply is not a success", "take an entry that found a record, or give --sample");
      return { ...readSample(member(response, "content"), refuse), status };
    },
  };
}

function bodyOf(posted: JsonObject, refuse: CapturedRequest["refuse"]): CapturedRequest["body"] {
  const type = text(posted["mimeType"]);
  const saved = text(posted["text"]);
  const written = posted["encoding"] === "base64" ? textOfBase64(saved, text(posted["mimeType"])) : saved;
  const params = list(posted["params"]);
  if (written === "" && params.length === 0) return undefined;
  if (/^multipart\//i.test(type))
    return refuse("a form of several parts cannot be written in YAML", "write the source in TypeScript");
  if (written !== "") return { text: written, type };
  const form = params.map((one): [string, string] => [text(one["name"]), text(one["value"])]);
  return { text: String(new URLSearchParams(form)), type: "application/x-www-form-urlencoded" };
}

function readSample(
  content: JsonObject,
  refuse: CapturedRequest["refuse"],
): Pick<Imported, "format"> & { readonly sample: Json } {
  const written = text(content["text"]);
  if (written === "") return refuse("its reply was not saved", "save the archive with content, or give --sample");
  const isPlain = content["encoding"] === undefined || content["encoding"] === "";
  if (!isPlain && content["encoding"] !== "base64")
    return refuse("its reply was saved in an unknown encoding", "give --sample");
  const read = isPlain ? withoutMark(written) : textOfBase64(written, text(content["mimeType"]));
  try {
    return isXmlText(read) ? { sample: readXmlSample(read), format: "xml" } : { sample: readJsonExactly(read) };
  } catch {
    return refuse("its reply is neither JSON nor XML", "give --sample");
  }
}

function textOfBase64(written: string, type: string): string {
  const bytes = Buffer.from(written, "base64");
  try {
    return decodeUtf8(toUtf8(bytes, type));
  } catch {
    // The parser of the text reports that it is not valid.
    return bytes.toString("latin1");
  }
}

/** Removes a byte order mark from the archive or from a reply in it. */
function withoutMark(written: string): string {
  return written.startsWith("\ufeff") ? written.slice(1) : written;
}

function member(holder: Json, name: string): JsonObject {
  const value = isJsonObject(holder) ? holder[name] : undefined;
  return isJsonObject(value) ? value : {};
}

function list(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
