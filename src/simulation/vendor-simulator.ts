import type { RunnableSource } from "../run/ports.ts";
import type { ScriptedReply } from "../sdk/source.ts";
import type { Clock } from "../terms/time/clock.ts";
import { isDeclaredOrigin } from "../terms/http/origins.ts";
import { isMagic, MAGIC, MAGIC_REPLIES, SLOW_MS } from "./magic-inputs.ts";
import type { ReplyEvaluation } from "./ports.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { recordRequests, type RecordedRequest } from "./record-requests.ts";
import { decoded, formOf, isOfForm, MAGIC_TEXT } from "./request-form.ts";
import { startScriptedServer } from "./scripted-server.ts";

export interface VendorSimulatorOptions extends ReplyEvaluation {
  readonly sources: readonly RunnableSource[];
  readonly clock: Clock;
  readonly port?: number;
  readonly host?: string;
}

export interface VendorSimulator {
  /** The base URL. Each vendor has a path below it with the name of its host: `<url>/api.vendor.example`. */
  readonly url: string;
  /** The vendors' hosts, for listings. */
  readonly hosts: readonly string[];
  close(): Promise<void>;
}

/** The header field with which a client requests a failure. */
const MAGIC_FIELD = "x-datarun-simulate";

/**
 * Serves the vendors of many sources on one loopback port, for any client. For a vendor at `https://host/path`, a
 * client uses `<url>/host/path`. Replies come from the sources' cases. To request a failure, a client sends the header
 * `x-datarun-simulate: timeout` or a query value `simulate:timeout`.
 */
export async function startVendorSimulator(options: VendorSimulatorOptions): Promise<VendorSimulator> {
  const { sources, clock } = options;
  const declared = new Map(sources.map(({ id, declaration }) => [id, declaration.origins ?? []]));
  const all = (await Promise.all(sources.map((source) => recordRequests(source, options)))).flat();
  // A case may show a redirect to an origin that its source must not reach. That origin is not simulated.
  const recorded = all.filter(({ source, origin }) => isDeclaredOrigin(origin, declared.get(source)!));
  const hosts = [...new Set(recorded.map(({ origin }) => new URL(origin).host))].sort();
  const inTurn = takeTurns();
  const server = await startScriptedServer((request) => answer(request, recorded, declared, hosts, inTurn), clock, {
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
  });
  return { url: server.origin, hosts, close: server.close };
}

function answer(
  request: ReceivedRequest,
  recorded: readonly RecordedRequest[],
  declared: ReadonlyMap<string, readonly string[]>,
  hosts: readonly string[],
  inTurn: InTurn,
): ScriptedReply {
  const [, host = "", ...rest] = request.path.split("/");
  if (host === "") return { status: 200, body: { vendors: hosts.map((name) => `/${name}`) } };
  const atVendor = { ...request, path: `/${rest.join("/")}` };
  const known = requestsOf(recorded, decoded(host), declared);
  const asked = askedFor(request);
  const misspelt = asked.find((word) => !isMagic(word));
  if (misspelt !== undefined) return noSuchMagic(misspelt);
  const magic = asked.find(isMagic) ?? null;
  const found = inTurn(matchRequest(known, atVendor));
  if (magic === "no_record") return noRecord(known, atVendor.method) ?? nothingThere(known, hosts);
  if (magic === "slow" && found !== null) return { ...found.reply, delay_ms: SLOW_MS };
  const instead = magic === null ? null : MAGIC_REPLIES[magic];
  if (instead !== null) return instead;
  return found === null ? nothingThere(known, hosts) : relocated(found.reply);
}

/** The behaviour that the request asks for. It may be an unknown word. */
function askedFor({ headers, query }: ReceivedRequest): readonly string[] {
  const inQuery = Object.values(query).map((value) => MAGIC_TEXT.exec(String(value))?.[1]);
  return [headers[MAGIC_FIELD], ...inQuery].filter((word): word is string => word !== undefined && word !== "");
}

function noSuchMagic(word: string): ScriptedReply {
  return { status: 400, body: { error: `the simulator knows no "${word}"`, values: MAGIC } };
}

type InTurn = (found: readonly RecordedRequest[]) => RecordedRequest | null;

/** A case with several equal requests, as when polling, returns its replies in order, and then starts again. */
function takeTurns(): InTurn {
  const given = new Map<RecordedRequest, number>();
  return (found) => {
    const [first] = found;
    if (first === undefined) return null;
    const count = given.get(first) ?? 0;
    given.set(first, count + 1);
    return found[count % found.length]!;
  };
}

function noRecord(known: readonly RecordedRequest[], by: string): ScriptedReply | undefined {
  return known.find(({ method, case: each }) => method === by && "match" in each.expect && !each.expect.match)?.reply;
}

/** Keeps a vendor's redirect to another vendor within the simulator. */
function relocated(reply: ScriptedReply): ScriptedReply {
  const entry = Object.entries(reply.headers ?? {}).find(([name]) => name.toLowerCase() === "location");
  const url = entry === undefined ? null : URL.parse(entry[1]);
  if (entry === undefined || url === null) return reply;
  return { ...reply, headers: { ...reply.headers, [entry[0]]: `/${url.host}${url.pathname}${url.search}` } };
}

function nothingThere(known: readonly RecordedRequest[], hosts: readonly string[]): ScriptedReply {
  const answers = [...new Set(known.map(({ method, path, search }) => `${method} ${path}${search}`))];
  return {
    status: 404,
    body: { error: "the simulator has no case for this request", ...(known.length === 0 ? { hosts } : { answers }) },
  };
}

/**
 * The recorded requests of one case with the same method, path, query and body as a received request, in the order of
 * the case. If several cases match, the first with a record is used, else the first. Empty without a match.
 */
function matchRequest(recorded: readonly RecordedRequest[], received: ReceivedRequest): readonly RecordedRequest[] {
  const form = formOf(received);
  const same = recorded.filter((each) => each.method === received.method && isOfForm(each.form, form));
  const chosen = same.find(hasRecord) ?? same[0];
  return same.filter((each) => each.case === chosen?.case && each.source === chosen.source);
}

/** The recorded requests to a host, or to a pattern of hosts that matches it. */
function requestsOf(
  recorded: readonly RecordedRequest[],
  host: string,
  declared: ReadonlyMap<string, readonly string[]>,
): readonly RecordedRequest[] {
  return recorded.filter(
    ({ origin, source }) => new URL(origin).host === host || patternsOf(declared.get(source), host, origin),
  );
}

function patternsOf(origins: readonly string[] | undefined, host: string, origin: string): boolean {
  const scheme = new URL(origin).protocol;
  const patterns = (origins ?? []).filter((declared) => declared.includes("*"));
  return isDeclaredOrigin(`${scheme}//${host}`, patterns);
}

function hasRecord({ case: each }: RecordedRequest): boolean {
  return "match" in each.expect && each.expect.match;
}
