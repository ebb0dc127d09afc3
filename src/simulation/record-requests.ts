import type { RunnableSource } from "../run/ports.ts";
import type { HttpOptions, Reply } from "../sdk/http.ts";
import { caseMoment, NoMatch, type ScriptedReply, type SourceCall, type SourceCase } from "../sdk/source.ts";
import { Fault, FAULT_OF_KIND } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { httpOf } from "./redirect-to-simulator.ts";
import { asList } from "./as-list.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";
import type { ReplyEvaluation } from "./ports.ts";
import { bodyText, readQuery, type ReceivedRequest } from "./received-request.ts";
import { commonForm, formOf, type RequestForm } from "./request-form.ts";
import { scriptedBytes } from "./scripted-bytes.ts";

/** One request of a source in one of its cases, and the vendor's reply. */
export interface RecordedRequest {
  readonly source: string;
  readonly case: SourceCase;
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** The query as text, for listings. */
  readonly search: string;
  readonly form: RequestForm;
  readonly reply: ScriptedReply;
}

/**
 * Runs a source's cases without a network to learn which request belongs to which reply. Each case runs twice, with
 * different credentials, times and nonces. Parts that differ between the two runs are ignored when requests are
 * compared.
 */
export async function recordRequests(
  source: RunnableSource,
  reading: ReplyEvaluation,
): Promise<readonly RecordedRequest[]> {
  const recorded: RecordedRequest[] = [];
  for (const each of source.declaration.cases ?? []) {
    const inputs = source.filter(each.inputs);
    if (asList(each.reply).length === 0 || source.inputProblem(inputs) !== null) continue;
    const [first, second] = [await requestsOf(each, ""), await requestsOf(each, "-2")];
    const again = second.length === first.length ? second : first;
    recorded.push(...first.map((one, index) => ({ ...one, form: commonForm(one.form, again[index]!.form) })));
  }
  return recorded;

  async function requestsOf(each: SourceCase, mark: string): Promise<readonly RecordedRequest[]> {
    const made: RecordedRequest[] = [];
    try {
      await source.declaration.run(callFor(source, each, source.filter(each.inputs), mark, reading, made));
    } catch {
      // A case may show a failure. The requests before the failure are recorded all the same.
    }
    return made;
  }
}

function callFor(
  source: RunnableSource,
  each: SourceCase,
  inputs: SourceCall["inputs"],
  mark: string,
  { makeReply, faultOfStatus }: ReplyEvaluation,
  recorded: RecordedRequest[],
): SourceCall {
  const script = asList(each.reply);
  let asked = 0;
  let waitedMs = 0;
  const request = async (method: string, address: string, options: HttpOptions = {}): Promise<Reply> => {
    const reply = script[Math.min(asked, script.length - 1)] ?? {};
    asked += 1;
    const url = new URL(address);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      for (const one of asList(value))
        if (one !== null && one !== undefined) url.searchParams.append(name, String(one));
    }
    recorded.push({
      source: source.id,
      case: each,
      origin: url.origin,
      method: method.toUpperCase(),
      path: url.pathname,
      search: url.search,
      form: formOf({ path: url.pathname, query: readQuery(url.search), ...contentOf(options) }),
      reply,
    });
    const { status, headers, bytes } = scriptedBytes(reply);
    if (reply.fault !== undefined) throw new Fault("source.connection_lost");
    if (status >= 300 && status < 400 && headers["location"] !== undefined && (options.redirects ?? 0) > 0) {
      const { query: _, ...rest } = options;
      return request(method, new URL(headers["location"], url).href, { ...rest, redirects: options.redirects! - 1 });
    }
    if ((status < 200 || status > 299) && options.answers?.includes(status) !== true) throw faultOfStatus(status);
    return makeReply(status, headers, bytes);
  };
  return {
    inputs,
    credentials: marked(each.credentials ?? makeUpCredentials(source.declaration.credentials), mark),
    http: httpOf(request),
    context: each.context ?? "dev",
    region: "simulated",
    transaction_id: `trx_${"0".repeat(32)}`,
    [caseMoment]: { wallMs: mark === "" ? TIMES[0] : TIMES[1] },
    signal: new AbortController().signal,
    log: { info: () => {}, warn: () => {} },
    ordered: () => {},
    wait: async (ms) => {
      if ((waitedMs += ms) >= source.timeoutMs) throw new Fault("source.pending");
    },
    basic: (user, password) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }),
    noMatch: (output) => new NoMatch(output),
    fail: (kind) => {
      throw new Fault(FAULT_OF_KIND[kind], { problem: "it reports a failure" });
    },
  };
}

/** Two times of which no usual form is equal. */
const TIMES = [Date.UTC(2021, 2, 4, 5, 6, 7, 111), Date.UTC(2032, 10, 25, 18, 39, 48, 222)] as const;

/** The same fields with other texts. */
function marked(credentials: JsonObject, mark: string): JsonObject {
  return Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, typeof value === "string" ? `${value}${mark}` : value]),
  );
}

function contentOf({ json, form, body, headers = {} }: HttpOptions): Pick<ReceivedRequest, "headers" | "body"> {
  if (json !== undefined) return { headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
  if (form !== undefined) {
    const fields = Object.entries(form).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
    return { headers: { "content-type": "application/x-www-form-urlencoded" }, body: String(text) };
  }
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const text = body === undefined ? "" : bodyText(Buffer.from(body as Uint8Array), String(type));
  return { headers: type === undefined ? {} : { "content-type": String(type) }, body: text };
}
