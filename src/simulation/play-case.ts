import { makeOneCall } from "../run/one-call.ts";
import type { CallResult, RunnableSource } from "../run/ports.ts";
import { asksAgain, type ScriptedReply, type SourceCase } from "../sdk/source.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { redirectToSimulator } from "./redirect-to-simulator.ts";
import { asList } from "./as-list.ts";
import { isDeclaredOrigin } from "../terms/http/origins.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";
import type { CaseParts } from "./ports.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { createSkippedWait } from "./skipped-wait.ts";
import { startScriptedServer, type ScriptedServer } from "./scripted-server.ts";

/** Observations while one case ran. */
export interface CaseObservation {
  readonly answer: CallResult | null;
  readonly fault: Fault | null;
  readonly requests: readonly ReceivedRequest[];
  /** Number of replies in the case. Further requests are unexpected. */
  readonly repliesGiven: number;
  /** The last reply may be requested repeatedly by the same request, as when polling. */
  readonly mayRepeat: boolean;
  readonly logged: string;
  readonly credentials: JsonObject;
}

/** An additional input of every case. A source must not use it or send it on. */
export const UNDECLARED = { name: "datarun_undeclared", value: "undeclared-3fWz91" } as const;

/** The deadline of a case whose vendor never replies, instead of the source's own timeout. */
const HUNG_DEADLINE_MS = 400;
const NOBODY = "org_00000000000000000000000000000000";

/** Runs one case through the real engine and the real outbound client against a vendor on loopback. */
export async function playCase(source: RunnableSource, played: SourceCase, parts: CaseParts): Promise<CaseObservation> {
  const script = asList(played.reply);
  const requests: ReceivedRequest[] = [];
  const logged: string[] = [];
  const servers = new Map<string, Promise<ScriptedServer>>();
  const declared = source.declaration.origins ?? [];

  /** The replies in order. The last reply also answers all further requests. */
  const answer = (request: ReceivedRequest): ScriptedReply => {
    const reply = script[Math.min(requests.length, script.length - 1)] ?? { status: 599 };
    requests.push(request);
    return redirected(reply);
  };
  const playedAt = async (origin: string): Promise<string> => {
    let server = servers.get(origin);
    if (server === undefined) servers.set(origin, (server = startScriptedServer(answer, parts.clock)));
    return (await server).origin;
  };
  const places = new Map<string, string>();
  /** Points a redirect to a declared origin at the server that simulates it. */
  const redirected = (reply: ScriptedReply): ScriptedReply => {
    const entry = Object.entries(reply.headers ?? {}).find(([name]) => name.toLowerCase() === "location");
    const url = entry === undefined ? null : URL.parse(entry[1]);
    const place = url === null ? undefined : places.get(url.origin);
    if (entry === undefined || url === null || place === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, [entry[0]]: entry[1].replace(url.origin, place) } };
  };

  try {
    for (const origin of redirectTargets(script, declared)) places.set(origin, await playedAt(origin));
    const credentials = played.credentials ?? makeUpCredentials(source.declaration.credentials);
    const free = unlimited(source);
    const aimed = redirectToSimulator(parts.door, free, playedAt, [...places.values()]);
    const { result } = await makeOneCall(
      {
        source: free,
        organizationId: NOBODY,
        context: played.context ?? "dev",
        region: "test",
        entry: Object.keys(credentials).length > 0 ? { credentials } : {},
        inputs: { ...played.inputs, [UNDECLARED.name]: UNDECLARED.value },
        ...(hangs(source, script) ? { withinMs: HUNG_DEADLINE_MS } : {}),
      },
      {
        client: aimed,
        clock: parts.clock,
        wait: createSkippedWait(parts.clock),
        moment: { wallMs: played.at === undefined ? undefined : Date.parse(played.at), nonce: played.nonce },
        log: (_, level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
      },
    );
    return {
      ...(result instanceof Fault ? { answer: null, fault: result } : { answer: result, fault: null }),
      requests,
      repliesGiven: script.length,
      mayRepeat: source.declaration[asksAgain] === true,
      logged: logged.join("\n"),
      credentials,
    };
  } finally {
    for (const server of servers.values()) await (await server).close();
  }
}

function redirectTargets(script: readonly ScriptedReply[], declared: readonly string[]): readonly string[] {
  const locations = script.flatMap(({ headers = {} }) =>
    Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === "location" ? [value] : [])),
  );
  const origins = locations.map((location) => URL.parse(location)?.origin).filter((origin) => origin !== undefined);
  return [...new Set(origins)].filter((origin) => isDeclaredOrigin(origin, declared));
}

/** A simulated vendor needs neither the limits nor the regions of the real one. */
function unlimited(source: RunnableSource): RunnableSource {
  const { regions: _, ...declaration } = source.declaration;
  const { rate: __, concurrency: ___, ...limits } = declaration.limits ?? {};
  return { ...source, declaration: { ...declaration, limits } };
}

function hangs({ timeoutMs }: RunnableSource, script: readonly ScriptedReply[]): boolean {
  return script.some(({ fault, delay_ms = 0 }) => fault === "hang" || delay_ms >= Math.min(timeoutMs, 5_000));
}
