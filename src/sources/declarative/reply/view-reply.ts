import { type MeteredReply, ownBytes, rawJsonObject, type RawReply, type Reply } from "../../../sdk/http.ts";
import type { Json } from "../../../terms/json/json.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { ReplyFile } from "../format/exchange-format.ts";

/**
 * Reads a reply for the rules of the file. The body of a success must be readable unless it is empty. The body of any
 * other status is `null` if it cannot be read, because proxies often send HTML in place of the vendor. With `wantsBody`
 * false, no rule uses the body, and it is always `null`.
 */
export function compileView(reply: ReplyFile | undefined, wantsBody = true): (reply: Reply) => ReplyView {
  const readJson = wantsBody ? (answer: Reply) => answer.json() as Json : seeThatItIsJson;
  const lists = reply?.lists ?? [];
  const read = reply?.format === "xml" ? (answer: Reply) => answer.xml({ lists }) as Json : readJson;
  return (answer) => ({ status: answer.status, headers: answer.headers, body: bodyOf(answer, read) });
}

/** Recognises an object by its bytes, which costs less than parsing it. */
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

function bytesOf(answer: Reply): Buffer {
  return ownBytes in answer ? (answer as Reply & MeteredReply)[ownBytes] : answer.bytes();
}
