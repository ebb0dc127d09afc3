import type { TestContext } from "node:test";
import type { Attempt, PlannedCall, Run, RunnableSource } from "../run/ports.ts";
import type { Http } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import { type Held, heldWithoutLimit } from "../terms/byte-budget.ts";
import { systemClock } from "../terms/clock.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import { Secret } from "../terms/secret.ts";
import { createDoor, type DoorOptions, type OutboundDoor } from "./door.ts";

type Changes = Partial<Omit<DoorOptions, "clock" | "beforeSend">> & {
  /** Called before each request, as the ledger would be. */
  readonly onIntent?: (call: PlannedCall) => void;
};

type CallChanges = Partial<Pick<SourceDeclaration, "origins" | "limits">> & {
  readonly timeoutMs?: number;
  readonly charge?: RunnableSource["charge"];
  readonly organizationId?: string;
  readonly held?: Held;
  readonly inputs?: PlannedCall["rawInputs"];
  readonly credential?: PlannedCall["rawInputs"];
};

/** A door for tests, which keeps a ledger of attempts as `run/` does. */
export interface TestDoor {
  readonly door: OutboundDoor;
  /** Everything `beforeSend` was asked for. */
  readonly attempts: readonly Attempt[];
  /** A new call to a source that declares these origins, and its `http`. */
  call(origins: string | readonly string[], changes?: CallChanges): { readonly call: PlannedCall; readonly http: Http };
}

export function openDoor(t: TestContext, { onIntent, ...options }: Changes = {}): TestDoor {
  const attempts: Attempt[] = [];
  const door = createDoor({
    ...options,
    clock: systemClock,
    beforeSend: (call, origin, method, free) => {
      onIntent?.(call);
      const attempt: Attempt = {
        number: call.attempts.length + 1,
        origin,
        method,
        sentWallAt: systemClock.wall(),
        sentAt: systemClock.now(),
        free,
        status: null,
        isAnswer: false,
        hasEnded: false,
        said: null,
        tookMs: null,
      };
      call.attempts.push(attempt);
      attempts.push(attempt);
      return attempt;
    },
  });
  t.after(() => door.close());
  return {
    door,
    attempts,
    call: (origins, changes = {}) => {
      const source = makeSource({ ...changes, origins: typeof origins === "string" ? [origins] : origins });
      const call = makeCall(source, changes);
      return { call, http: door.httpFor(source, call) };
    },
  };
}

/** The fault a request ends with. */
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

function makeSource({ origins, limits, timeoutMs, charge, inputs }: CallChanges): RunnableSource {
  return {
    id: "acme__people",
    declaration: {
      id: "acme__people",
      title: "People",
      inputs: {},
      run: () => null,
      ...(origins === undefined ? {} : { origins }),
      ...(limits === undefined ? {} : { limits }),
    },
    timeoutMs: timeoutMs ?? 10_000,
    inputNames: Object.keys(inputs ?? {}),
    filter: (given) => given,
    inputProblem: () => null,
    credentialUse: "optional",
    credentialProblem: () => null,
    credentialNames: null,
    leavesMachine: true,
    charge: charge ?? "per_call",
  };
}

function makeCall(source: RunnableSource, { inputs, credential, organizationId, held }: CallChanges): PlannedCall {
  const now = systemClock.now();
  // Of a run the door reads only these.
  const caller = { organizationId: organizationId ?? "org_1" };
  const run = { maySend: true, held: held ?? heldWithoutLimit(), caller } as Run;
  return {
    run,
    id: source.id,
    ordinal: 0,
    entry: {},
    rawInputs: inputs ?? {},
    inputs: inputs ?? {},
    deadlineAt: now + source.timeoutMs,
    startedAt: now,
    credential:
      credential === undefined
        ? null
        : { credentialId: null, rule: "inline", fields: new Secret(credential), scope: "org_1" },
    attempts: [],
    controller: null,
    ended: false,
    heldBytes: 0,
  };
}
