import type { RunnableSource } from "../run/ports.ts";
import type { FaultKind } from "../terms/fault.ts";
import { asksAgain, type ScriptedReply, type SourceCase } from "../sdk/source.ts";
import { asList } from "./as-list.ts";

/** A failure that every vendor can have, and the kinds of fault that describe it correctly. */
export interface GenericCase {
  readonly case: SourceCase;
  readonly kinds: readonly FaultKind[];
}

const BROKEN_JSON = '{"cut": "of';

/** `waits`: a source that polls treats this reply as an order that is not ready. */
const FAILURES: readonly { name: string; reply: ScriptedReply; kinds: readonly FaultKind[]; waits?: true }[] = [
  { name: "the credential is rejected (401)", reply: { status: 401, body: {} }, kinds: ["credential"] },
  { name: "the vendor answers another 4xx (418)", reply: { status: 418, body: {} }, kinds: ["vendor_4xx", "input"] },
  { name: "the rate limit is exceeded (429)", reply: { status: 429, body: {} }, kinds: ["rate_limited"] },
  { name: "the vendor fails (500)", reply: { status: 500, body: "<h1>failure</h1>" }, kinds: ["vendor_5xx"] },
  // `pending` once the vendor has accepted an order.
  { name: "the vendor never answers", reply: { fault: "hang" }, kinds: ["timeout", "pending"] },
  { name: "the reply is malformed", reply: { body: BROKEN_JSON }, kinds: ["contract"] },
  { name: "the reply is empty", reply: { body: "" }, kinds: ["contract"], waits: true },
  {
    name: "the connection breaks during the reply",
    reply: { fault: "truncate" },
    kinds: ["connection_lost", "contract"],
  },
];

/**
 * The standard cases of a source whose calls leave the machine, derived from its first case with a record: the replies
 * of that case except the last, then the failure. A status that the source's own cases use is left out, and so is an
 * empty reply, which is an empty list for some formats. If other requests precede a rejected credential, the script is repeated once, because a source that logs in may fetch a new
 * token and try again. A source that polls gets the failure at every poll.
 */
export function genericCases(source: RunnableSource): readonly GenericCase[] {
  const cases = source.declaration.cases ?? [];
  const found = cases.find(({ expect }) => "match" in expect && expect.match);
  if (!source.leavesMachine || found === undefined) return [];
  const replies = asList(found.reply);
  const known = cases.flatMap(({ reply }) => asList(reply));
  const own = new Set(known.map(({ status }) => status ?? 200));
  const isOwn = ({ status, body }: ScriptedReply) =>
    status === undefined ? body === "" && known.some((reply) => reply.body === "" && isPlain(reply)) : own.has(status);
  return FAILURES.filter(({ reply }) => !isOwn(reply)).map(({ name, reply, kinds, waits }) => ({
    case: {
      name,
      inputs: found.inputs,
      ...(found.credentials === undefined ? {} : { credentials: found.credentials }),
      ...(found.context === undefined ? {} : { context: found.context }),
      reply: scriptOf(replies, reply),
      expect: { failure: kinds[0]! },
    },
    kinds: waits === true && source.declaration[asksAgain] === true ? [...kinds, "pending"] : kinds,
  }));
}

function isPlain({ status = 200, fault }: ScriptedReply): boolean {
  return status === 200 && fault === undefined;
}

function scriptOf(replies: readonly ScriptedReply[], failing: ScriptedReply): readonly ScriptedReply[] {
  const before = replies.slice(0, -1);
  const script = [...before, failing.fault === "truncate" ? { ...replies.at(-1), ...failing } : failing];
  // The first reply is that of a login.
  return failing.status === 401 && before.length > 0 ? [...script, before[0]!, failing] : script;
}

/** The cases that a source's author still has to write; empty if none is missing. */
export function missingCases(source: RunnableSource): readonly string[] {
  const cases = source.declaration.cases ?? [];
  const missing: string[] = [];
  if (!cases.some(({ expect }) => "match" in expect && expect.match)) missing.push("a case with a record");
  if (!source.leavesMachine) return missing;
  if (!cases.some(({ expect }) => "match" in expect && !expect.match)) missing.push("a case with no record");
  if (!cases.some(({ expect }) => "failure" in expect && expect.failure === "input")) {
    missing.push("a case whose inputs are refused (expect: {failure: input})");
  }
  if (cases.some(({ reply }) => asList(reply).length === 0) && cases.every(({ reply }) => asList(reply).length === 0)) {
    missing.push("a reply of the vendor");
  }
  return missing;
}
