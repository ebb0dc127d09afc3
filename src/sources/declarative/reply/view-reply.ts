import { type HeldReply, holdParsed, ownBytes, rawJsonObject, type RawReply, type Reply } from "../../../sdk/http.ts";
import { Fault } from "../../../terms/fault.ts";
import { decodeUtf8, type Json } from "../../../terms/json.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { ReplyFile } from "../format/exchange-format.ts";
import { type ListNames, parseXml, XML_VALUES_MAX, XmlProblem } from "./parse-xml.ts";

/**
 * Reads a reply for the rules of the file. The body of a success must be readable unless it is empty. The body of any
 * other status is `null` if it cannot be read, because proxies often send HTML in place of the vendor. With `wantsBody`
 * false nothing uses the body, and it is always `null`.
 */
export function compileView(reply: ReplyFile | undefined, wantsBody = true): (reply: Reply) => ReplyView {
  const readJson = wantsBody ? (answer: Reply) => answer.json() as Json : seeThatItIsJson;
  const read = reply?.format === "xml" ? readXml(reply.lists ?? []) : readJson;
  return (answer) => ({ status: answer.status, headers: answer.headers, body: bodyOf(answer, read) });
}

/** An object is recognised by its bytes, which costs less than parsing it. */
function seeThatItIsJson(answer: Reply): Json {
  try {
    (answer as Reply & RawReply)[rawJsonObject]();
  } catch {
    answer.json();
  }
  return null;
}

function bodyOf(answer: Reply, read: (answer: Reply) => Json): Json {
  if (bytesOf(answer).length === 0) return null;
  try {
    return read(answer);
  } catch (thrown) {
    if (answer.status >= 200 && answer.status < 300) throw thrown;
    return null;
  }
}

function readXml(lists: readonly string[]): (answer: Reply) => Json {
  const parse = compileXmlReader(lists);
  return (answer) => {
    const bytes = bytesOf(answer);
    if (holdParsed in answer) (answer as Reply & HeldReply)[holdParsed](parsedXmlBytes(bytes.length));
    try {
      return parse(bytes, answer.headers["content-type"]);
    } catch (error) {
      throw new Fault("source.contract", { problem: (error as Error).message }, { cause: error });
    }
  };
}

function bytesOf(answer: Reply): Buffer {
  return ownBytes in answer ? (answer as Reply & HeldReply)[ownBytes] : answer.bytes();
}

/**
 * The size limit of a document. Parsing takes a few milliseconds per megabyte and blocks all other requests meanwhile.
 */
export const XML_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Reads XML into the same JSON form that requests use: `@name` for attributes, `#text` for text, lists for elements
 * that repeat or are named in `lists`. All values are texts. Namespace prefixes are dropped, except those that
 * distinguish two attributes. XML's five entities and
 * character references are resolved; a document type declaration is refused.
 * @throws XmlProblem
 */
export function compileXmlReader(lists: readonly string[]): (bytes: Buffer, contentType?: string) => Json {
  const names = namesOf(lists);
  return (bytes, contentType = "") => {
    if (bytes.length > XML_BYTES_MAX) throw new XmlProblem("it is too large for an XML reply");
    return parseXml(decode(withPlainLines(bytes), contentType), names);
  };
}

/** The smallest size of a part in a document, and the most memory that a part takes besides its text. */
const PART_BYTES_MIN = 4;
const PART_BYTES_HELD = 48;

/** The most memory that the value of a document of this size takes. */
function parsedXmlBytes(bytes: number): number {
  return bytes + Math.min(Math.ceil(bytes / PART_BYTES_MIN), XML_VALUES_MAX) * PART_BYTES_HELD;
}

/** `a.b` is the element `b` in the root element `a`. */
function namesOf(lists: readonly string[]): ListNames {
  const root = newNames();
  for (const path of lists) {
    let names = root;
    for (const name of path.split(".")) {
      if (!names.below.has(name)) names.below.set(name, newNames());
      names = names.below.get(name)!;
    }
    names.isList = true;
  }
  return root;
}

interface NamesUnderWay {
  isList: boolean;
  readonly below: Map<string, NamesUnderWay>;
}

function newNames(): NamesUnderWay {
  return { isList: false, below: new Map() };
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** XML has three line endings, all of which are read as a line feed (XML 1.0, 2.11). */
function withPlainLines(bytes: Buffer): Buffer {
  if (!bytes.includes(CARRIAGE_RETURN)) return bytes;
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte !== CARRIAGE_RETURN) plain[length++] = byte;
    else if (bytes[at + 1] !== LINE_FEED) plain[length++] = LINE_FEED;
  }
  return plain.subarray(0, length);
}

const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/**
 * The encoding is what the header field or the document says (RFC 7303), and UTF-8 if neither does or there is a byte
 * order mark. If they differ, the document is read as UTF-8 if it can be, which is hardly ever a coincidence: whatever
 * converts a document or adds a header field often leaves the other as it was.
 */
function decode(bytes: Buffer, contentType: string): string {
  const start = bytes.toString("latin1", 0, 200);
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? "";
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1]?.toLowerCase() ?? "";
  const isLatin1 = LATIN_1.has(charset) || LATIN_1.has(declared);
  const saysNothing = declared === "" && !LATIN_1.has(charset);
  const isUtf8 = saysNothing || UTF_8.has(charset) || UTF_8.has(declared) || start.startsWith(BYTE_ORDER_MARK);
  if (isUtf8) {
    try {
      return decodeUtf8(bytes);
    } catch {
      if (!isLatin1) throw new XmlProblem("it is not UTF-8");
    }
  }
  if (!isLatin1) throw new XmlProblem("it has an encoding that is not supported");
  return bytes.toString("latin1");
}

const UTF_8 = new Set(["utf-8", "utf8", "us-ascii"]);
const LATIN_1 = new Set(["iso-8859-1", "latin1"]);
