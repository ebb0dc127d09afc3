import type { ScriptedReply } from "../sdk/source.ts";

/** A scripted reply as it is sent. */
export interface ReplyBytes {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Text is sent unchanged, other values as JSON. A missing media type is guessed. */
export function scriptedBytes({ status = 200, headers = {}, body }: ScriptedReply): ReplyBytes {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (body === undefined) return { status, headers: named, bytes: Buffer.alloc(0) };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { "content-type": mediaTypeOf(body), ...named }, bytes: Buffer.from(text, "utf8") };
}

function mediaTypeOf(body: unknown): string {
  if (typeof body !== "string") return "application/json";
  if (/^\s*<(\?xml|[A-Za-z])/.test(body)) return "text/xml; charset=utf-8";
  return /^\s*[[{]/.test(body) ? "application/json" : "text/plain; charset=utf-8";
}
