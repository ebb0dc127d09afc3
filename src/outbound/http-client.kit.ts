import type { TestContext } from "node:test";
import { makeCall, makeRun } from "../run/call.kit.ts";
import type { Call } from "../run/call.ts";
import { NO_RECORD } from "../run/not-recorded.ts";
import type { OpenRun } from "../run/active-run.ts";
import type { Attempt, AttemptIntent, RunnableSource, RunRecord } from "../run/ports.ts";
import type { Http } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import { type MemoryReservation, unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { systemClock } from "../terms/time/clock.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { Secret } from "../terms/secret.ts";
import { createOutboundClient, type ClientOptions, type OutboundClient } from "./http-client.ts";

type Changes = Partial<Omit<ClientOptions, "clock">> & {
  /** Called in place of the ledger before requests are sent: once for all requests of a run that are sent together. */
  readonly onIntent?: (...intents: readonly AttemptIntent[]) => void;
};

type CallChanges = Partial<Pick<SourceDeclaration, "origins" | "limits" | "reply">> & {
  readonly timeoutMs?: number;
  readonly charge?: RunnableSource["charge"];
  readonly organizationId?: string;
  readonly memory?: MemoryReservation;
  readonly inputs?: JsonObject;
  readonly credential?: JsonObject;
};

interface OpenedCall {
  readonly call: Call;
  readonly run: OpenRun;
  readonly http: Http;
}

/** An HTTP client for tests, and the calls made with it. */
export interface TestClient {
  readonly client: OutboundClient;
  /** The attempts of all calls made with this client. */
  readonly attempts: readonly Attempt[];
  /** A new call to a source that declares these origins, and its `http`. */
  call(origins: string | readonly string[], changes?: CallChanges): OpenedCall;
}

export function openTestClient(t: TestContext, { onIntent, ...options }: Changes = {}): TestClient {
  const calls: Call[] = [];
  const door = createOutboundClient({ ...options, clock: systemClock });
  t.after(() => door.close());
  return {
    client: door,
    get attempts() {
      return calls.flatMap(({ attempts }) => attempts);
    },
    call: (origins, changes = {}) => {
      const source = makeSource({ ...changes, origins: typeof origins === "string" ? [origins] : origins });
      const { call, run } = openCall(source, changes, onIntent ?? (() => {}));
      calls.push(call);
      return { call, run, http: door.httpFor(source, call) };
    },
  };
}

/** The fault with which a request fails. */
export async function faultOf(sent: Promise<unknown>): Promise<Fault> {
  try {
    await sent;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("a fault was expected");
}

export async function codeOf(sent: Promise<unknown>): Promise<FaultCode> {
  return (await faultOf(sent)).code;
}

function makeSource({ origins, limits, reply, timeoutMs, charge, inputs }: CallChanges): RunnableSource {
  return {
    id: "acme__people",
    version: "version of people",
    declaration: {
      id: "acme__people",
      title: "People",
      inputs: {},
      run: () => null,
      ...(origins === undefined ? {} : { origins }),
      ...(limits === undefined ? {} : { limits }),
      ...(reply === undefined ? {} : { reply }),
    },
    timeoutMs: timeoutMs ?? 10_000,
    inputNames: Object.keys(inputs ?? {}),
    filter: (given) => given,
    inputProblem: () => null,
    credentialUse: "optional",
    credentialProblem: () => null,
    credentialNames: null,
    accountNames: [],
    leavesMachine: true,
    charge: charge ?? "per_call",
    listPrice: null,
    resumable: false,
  };
}

function openCall(
  source: RunnableSource,
  { inputs, credential, organizationId = "org_1", memory = unlimitedMemory() }: CallChanges,
  onIntent: (...intents: readonly AttemptIntent[]) => void,
) {
  const record: RunRecord = { ...NO_RECORD, intend: (...intents) => ({ record: () => onIntent(...intents) }) };
  const run = makeRun({ organizationId, memory, record });
  const deadlineAt = run.arrivedAt + source.timeoutMs;
  const call = makeCall({ run, id: source.id, rawInputs: inputs ?? {}, deadlineAt });
  call.takeInputs(inputs ?? {});
  if (credential !== undefined)
    call.takeCredential({
      credentialId: null,
      rule: "inline",
      fields: new Secret(credential),
      scope: "org_1",
      prices: null,
    });
  return { call, run };
}
