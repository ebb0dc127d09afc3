import type { TestContext } from "node:test";
import { makeCall, makeRun } from "../run/call.kit.ts";
import type { Call } from "../run/call.ts";
import { NO_RECORD } from "../run/not-recorded.ts";
import type { OpenRun } from "../run/under-way.ts";
import type { Attempt, AttemptIntent, RunnableSource, RunRecord } from "../run/ports.ts";
import type { Http } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import { type Held, heldWithoutLimit } from "../terms/byte-budget.ts";
import { systemClock } from "../terms/clock.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { Secret } from "../terms/secret.ts";
import { createDoor, type DoorOptions, type OutboundDoor } from "./door.ts";

type Changes = Partial<Omit<DoorOptions, "clock">> & {
  /** Called in place of the ledger before requests are sent: once for all requests of a run that are sent together. */
  readonly onIntent?: (...intents: readonly AttemptIntent[]) => void;
};

type CallChanges = Partial<Pick<SourceDeclaration, "origins" | "limits" | "reply">> & {
  readonly timeoutMs?: number;
  readonly charge?: RunnableSource["charge"];
  readonly organizationId?: string;
  readonly held?: Held;
  readonly inputs?: JsonObject;
  readonly credential?: JsonObject;
};

interface OpenedCall {
  readonly call: Call;
  readonly run: OpenRun;
  readonly http: Http;
}

/** An HTTP client for tests, and the calls made with it. */
export interface TestDoor {
  readonly door: OutboundDoor;
  /** The attempts of all calls made with this client. */
  readonly attempts: readonly Attempt[];
  /** A new call to a source that declares these origins, and its `http`. */
  call(origins: string | readonly string[], changes?: CallChanges): OpenedCall;
}

export function openDoor(t: TestContext, { onIntent, ...options }: Changes = {}): TestDoor {
  const calls: Call[] = [];
  const door = createDoor({ ...options, clock: systemClock });
  t.after(() => door.close());
  return {
    door,
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
  { inputs, credential, organizationId = "org_1", held = heldWithoutLimit() }: CallChanges,
  onIntent: (...intents: readonly AttemptIntent[]) => void,
) {
  const record: RunRecord = { ...NO_RECORD, intend: (...intents) => ({ record: () => onIntent(...intents) }) };
  const run = makeRun({ organizationId, held, record });
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
