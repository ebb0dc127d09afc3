import type { Reply } from "../sdk/http.ts";
import type { ScriptedReply } from "../sdk/source.ts";
import { toUtf8 } from "../terms/text/charset.ts";
import { decodeUtf8, readJsonExactly, type Json } from "../terms/json/json.ts";
import { maskValues, type Masking } from "./mask-values.ts";
import { maskXml } from "./mask-xml.ts";

/** Words that must not be masked, so that a masked reply keeps its meaning. */
export interface Words {
  /** Texts in the rules of the source. */
  readonly texts: ReadonlySet<string>;
  /** Names in the source's file: members, elements, columns and header fields. */
  readonly names: ReadonlySet<string>;
}

/**
 * A reply for a case, with all values masked: JSON and XML by structure, a form by its fields. In any other text only
 * words from the source's file are kept. @throws Error if the reply is not text
 */
export function maskReply(reply: Reply, masking: Masking, words: Words): ScriptedReply {
  const headers = maskHeaders(reply.headers, masking, words);
  return {
    ...(reply.status === 200 ? {} : { status: reply.status }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    body: maskBody(reply, masking, words),
  };
}

function maskBody(reply: Reply, masking: Masking, words: Words): Json {
  const text = textOf(reply);
  if (text.trim() === "") return text;
  try {
    return maskValues(readJsonExactly(text), masking);
  } catch {
    if (/^\s*</.test(text)) return maskXml(text, masking) ?? maskWords(text, masking, words);
    return isForm(reply) ? maskForm(text, masking) : maskWords(text, masking, words);
  }
}

function textOf(reply: Reply): string {
  try {
    return decodeUtf8(toUtf8(reply.bytes(), reply.headers["content-type"]));
  } catch (cause) {
    throw new Error("the vendor's reply is not text that can be masked", { cause });
  }
}

function isForm(reply: Reply): boolean {
  return mediaTypeOf(reply.headers) === "application/x-www-form-urlencoded";
}

function maskForm(text: string, masking: Masking): string {
  const fields = [...new URLSearchParams(text)];
  return String(
    new URLSearchParams(fields.map(([name, value]): [string, string] => [masking.name(name), masking.text(value)])),
  );
}

const BETWEEN = /([\r\n\t,;|=:&"'<>()[\]{}]+)/;

/**
 * For tables, lines and similar texts: every part between punctuation is a value, unless the source's rules contain it.
 * A name from the source's file is kept in usual positions: in the first line, and before `:` or `=`.
 */
function maskWords(text: string, masking: Masking, { names }: Words): string {
  const parts = text.split(BETWEEN);
  let isFirstLine = true;
  return parts
    .map((part, index) => {
      const word = part.trim();
      if (index % 2 === 1 || word === "") {
        isFirstLine &&= !part.includes("\n");
        return part;
      }
      const isName = isFirstLine || /^["']?\s*[:=]/.test(parts[index + 1] ?? "");
      return isName && names.has(word) ? part : part.replace(word, () => masking.text(word));
    })
    .join("");
}

function mediaTypeOf(headers: Reply["headers"]): string | undefined {
  return /^[\w.+-]+\/[\w.+-]+/.exec(headers["content-type"] ?? "")?.[0].toLowerCase();
}

/** Header fields that the outbound client or the simulated vendor sets itself. */
const NOT_PLAYED = new Set(
  "connection content-encoding content-length content-type date keep-alive set-cookie transfer-encoding".split(" "),
);

/** The media type, and the fields that the source's file names, masked. */
function maskHeaders(headers: Reply["headers"], masking: Masking, words: Words): Record<string, string> {
  const type = mediaTypeOf(headers);
  const isPlain = type === undefined || type === "application/json";
  const read = Object.entries(headers).filter(([name]) => words.names.has(name) && !NOT_PLAYED.has(name));
  return {
    ...(isPlain
      ? {}
      : { "content-type": type.startsWith("text/") || type.endsWith("xml") ? `${type}; charset=utf-8` : type }),
    ...Object.fromEntries(read.map(([name, value]) => [name, maskField(value, masking)])),
  };
}

/** Header fields must be one line of ASCII. */
function maskField(value: string, masking: Masking): string {
  return masking.text(value).replaceAll(/[^\u0020-\u007e]/g, "x");
}
