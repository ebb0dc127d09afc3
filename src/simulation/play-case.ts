import { randomUUID } from "node:crypto";
import type { Answer, PlannedCall, Run, RunnableSource, RunRecord } from "../run/ports.ts";
import type { ScriptedReply, SourceCase } from "../sdk/source.ts";
import { heldWithoutLimit } from "../terms/byte-budget.ts";
import { asFault, type Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { Secret } from "../terms/secret.ts";
import { aimDoor } from "./aimed-door.ts";
import { asList } from "./as-list.ts";
import { isDeclaredOrigin } from "../terms/origins.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";
import type { CaseParts } from "./ports.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { startScriptedServer, type ScriptedServer } from "./scripted-server.ts";

/** All that could be seen of one case. */
export interface Played {
  readonly answer: Answer | null;
  readonly fault: Fault | null;
  readonly requests: readonly ReceivedRequest[];
  /** How many replies the case has; a request beyond them was not expected. */
  readonly repliesGiven: number;
  readonly logged: string;
  readonly credentials: JsonObject;
}

/** Sent along with every case; nothing that a source does may depend on it or pass it on. */
export const UNDECLARED = { name: "datarun_undeclared", value: "undeclared-3fWz91" } as const;

/** What a case that never gets its answer waits for, whatever the source's own time. */
const HUNG_DEADLINE_MS = 400;
const NOBODY = "org_00000000000000000000000000000000";

/** Runs one case through the real engine and the real door against a vendor on loopback. */
export async function playCase(source: RunnableSource, played: SourceCase, parts: CaseParts): Promise<Played> {
  const script = asList(played.reply);
  const requests: ReceivedRequest[] = [];
  const logged: string[] = [];
  const servers = new Map<string, Promise<ScriptedServer>>();
  const declared = source.declaration.origins ?? [];

  /** Replies in the order of the requests; the last one answers whatever else is asked. */
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
  /** A redirect to a declared origin leads to where that one is played. */
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
    const aimed = aimDoor(parts.door, free, playedAt, [...places.values()]);
    const run = parts.engine(aimed, (line) => logged.push(line));
    const call = planCall(source, played, credentials, parts);
    const outcome = await run(free, call).then(
      (answer) => ({ answer, fault: null }),
      (thrown: unknown) => ({ answer: null, fault: asFault(thrown, "source.adapter_raised") }),
    );
    return {
      ...outcome,
      requests,
      repliesGiven: script.length,
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

/** The vendor's own limits are no business of a played vendor. */
function unlimited(source: RunnableSource): RunnableSource {
  const { rate: _, concurrency: __, ...limits } = source.declaration.limits ?? {};
  return { ...source, declaration: { ...source.declaration, limits } };
}

function planCall(source: RunnableSource, played: SourceCase, credentials: JsonObject, parts: CaseParts): PlannedCall {
  const now = parts.clock.now();
  const hangs = asList(played.reply).some(
    ({ fault, delay_ms = 0 }) => fault === "hang" || delay_ms >= Math.min(source.timeoutMs, 5_000),
  );
  const transactionId = `trx_${randomUUID().replaceAll("-", "")}`;
  const nobody = { organizationId: NOBODY, tokenId: "tok_case" };
  const run: Run = {
    transactionId,
    kind: "data",
    caller: {
      ...nobody,
      workflow: {
        id: "wfl_case",
        organizationId: NOBODY,
        disabled: false,
        autoCredentials: false,
        failureDetails: false,
        maskCredentials: false,
        simulated: false,
      },
    },
    context: played.context ?? "dev",
    region: "test",
    arrivedAt: now,
    startedWallAt: parts.clock.wall(),
    simulated: false,
    record: UNRECORDED,
    held: heldWithoutLimit(),
    maySend: true,
  };
  const given = Object.keys(credentials).length > 0;
  return {
    run,
    id: source.id,
    ordinal: 0,
    entry: given ? { credentials } : {},
    rawInputs: { ...played.inputs, [UNDECLARED.name]: UNDECLARED.value },
    deadlineAt: now + (hangs ? HUNG_DEADLINE_MS : source.timeoutMs),
    startedAt: now,
    inputs: {},
    credential: given
      ? { credentialId: null, rule: "inline", fields: new Secret(credentials), scope: transactionId }
      : null,
    attempts: [],
    controller: null,
    ended: false,
    heldBytes: 0,
  };
}

const UNRECORDED: RunRecord = { intend: () => {}, close: () => {} };
