import { type HeldReply, holdParsed, ownBytes, type Reply } from "../../../sdk/http.ts";
import { Fault } from "../../../terms/fault.ts";
import type { Json } from "../../../terms/json.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { ReplyFile } from "../format/exchange-format.ts";
import { compileXmlReader, parsedXmlBytes } from "./read-xml.ts";

/**
 * Reads an answer for the rules of the file. A success has to be readable, unless it is empty; the body of any other
 * status is read if it can be and is `null` otherwise, since proxies answer for vendors in HTML.
 */
export function compileView(reply: ReplyFile | undefined): (reply: Reply) => ReplyView {
  const read = reply?.format === "xml" ? readXml(reply.lists ?? []) : (answer: Reply) => answer.json() as Json;
  return (answer) => ({ status: answer.status, headers: answer.headers, body: bodyOf(answer, read) });
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
      return parse(bytes);
    } catch (error) {
      throw new Fault("source.contract", { problem: (error as Error).message }, { cause: error });
    }
  };
}

function bytesOf(answer: Reply): Buffer {
  return ownBytes in answer ? (answer as Reply & HeldReply)[ownBytes] : answer.bytes();
}
