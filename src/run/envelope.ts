import type { Caller } from "../terms/caller.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json.ts";

/** One entry of `outputs` and `status`. */
export interface EnvelopeEntry {
  readonly id: string;
  /** JSON text of one object. A Buffer holds a vendor's own bytes. */
  readonly output: string | Buffer;
  readonly status: string;
}

/**
 * The default envelope (specification 2.4) as the bytes of the answer, but for its last field: `response_time_ms` is
 * known when the ledger has the run. Outputs are spliced in, never parsed or written again.
 */
export function toEnvelope(transactionId: string, config: string, entries: readonly EnvelopeEntry[]): EnvelopeParts {
  const parts: (string | Buffer)[] = [];
  let text = `{"transaction_id":"${transactionId}","config":${config},"outputs":{`;
  let statuses = "";
  let separator = "";
  for (const { id, output, status } of entries) {
    const key = JSON.stringify(id);
    text += `${separator}${key}:`;
    if (typeof output === "string") text += output;
    else {
      parts.push(text, output);
      text = "";
    }
    statuses += `${separator}${key}:${status}`;
    separator = ",";
  }
  parts.push(`${text}},"status":{${statuses}},"response_time_ms":`);
  return parts;
}

export type EnvelopeParts = readonly (string | Buffer)[];

/** Joins the parts of an answer and closes it with the total time. */
export function seal(parts: EnvelopeParts, responseTimeMs: number): Buffer {
  const tail = `${responseTimeMs}}`;
  let length = tail.length;
  for (const part of parts) length += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) at += typeof part === "string" ? bytes.write(part, at) : part.copy(bytes, at);
  bytes.write(tail, at, "latin1");
  return bytes;
}

/**
 * The `config` that is echoed: the request's own with the default context. It is built from the request alone, never from
 * the plan, so a stored credential cannot get into it.
 */
export function echoConfig(config: JsonObject, caller: Caller, more: JsonObject): JsonObject {
  const { workflow } = caller;
  const echo: Record<string, unknown> = { ...config, ...more };
  if (workflow.maskCredentials && isJsonObject(echo["sources"])) echo["sources"] = maskCredentials(echo["sources"]);
  // The one name of `config` that is the service's own word on /data too: nobody else may call an answer simulated, or not.
  if (workflow.simulated) echo["mode"] = "simulated";
  else delete echo["mode"];
  return echo as JsonObject;
}

function maskCredentials(sources: JsonObject): JsonObject {
  return mapEntries(sources, (entry) => {
    if (!isJsonObject(entry) || !Object.hasOwn(entry, "credentials") || !isJsonObject(entry["credentials"]))
      return entry;
    return { ...entry, credentials: mapEntries(entry["credentials"], () => "***") };
  });
}

/** Without the credentials altogether: what a function sees. */
export function withoutCredentials(sources: JsonObject): JsonObject {
  return mapEntries(sources, (entry) => {
    if (!isJsonObject(entry)) return entry;
    return Object.fromEntries<Json>(Object.entries(entry).filter(([name]) => name !== "credentials"));
  });
}

/** `Object.fromEntries` defines own properties, so that a source called `__proto__` stays one. */
function mapEntries(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries<Json>(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
