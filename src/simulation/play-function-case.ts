import type { FunctionCase, ScriptedOutcome } from "../sdk/data-function.ts";
import { NoMatch, type SourceAnswer } from "../sdk/source.ts";
import { createAdmission } from "../run/admission.ts";
import { callAdapter, composeMiddleware } from "../run/middleware/adapter.ts";
import { withDeadline } from "../run/middleware/deadline.ts";
import { withInputs } from "../run/middleware/vendor-middleware.ts";
import { createFunctionRun } from "../run/function-run.ts";
import type { VendorClient, FunctionCatalog, Ledger, RunnableSource, SourceCatalog } from "../run/ports.ts";
import { asList } from "./as-list.ts";
import type { ValueDifference } from "./difference.ts";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { PLAIN_WORKFLOW } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault, FAULT_OF_KIND, FAULTS, type SourceFaultCode } from "../terms/fault.ts";
import { type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { CALL_MS_MAX } from "../terms/time/times.ts";

export interface FunctionCaseParts {
  readonly functions: FunctionCatalog;
  readonly sources: SourceCatalog;
  readonly clock: Clock;
}

/** The result of one case. */
export interface FunctionCaseResult {
  readonly success: boolean;
  readonly message: string;
  readonly output: JsonObject;
  readonly pipes: JsonObject;
  /** The source ids of the calls, in order. */
  readonly called: readonly string[];
  /** Log output of the function, and the reason if it failed. */
  readonly log: readonly string[];
  /** Differences between the script and the function's calls. */
  readonly offScript: readonly ValueDifference[];
}

/**
 * Runs one case in the real engine and a real isolate, with scripted answers for sources. The inputs of sources are
 * still filtered and checked. A source without a scripted answer runs only if it has no vendor.
 */
export async function playFunctionCase(
  id: string,
  played: FunctionCase,
  parts: FunctionCaseParts,
): Promise<FunctionCaseResult> {
  const { clock } = parts;
  const script = openScript(played, parts.sources);
  const called: string[] = [];
  const log: string[] = [];
  const runFunction = createFunctionRun({
    functions: parts.functions,
    catalog: script.catalog,
    runSource: composeMiddleware(
      [withInputs, withDeadline(clock)],
      callAdapter({ client: NO_DOOR, clock, log: () => {} }),
    ),
    ledger: NO_LEDGER,
    observers: [{ runEnded: ({ calls }) => called.push(...calls.map(({ source }) => source)) }],
    admission: createAdmission({ runsMax: 1, runsPerOrganizationMax: 1 }),
    clock,
    region: "local",
    log: (_run, _id, level, message) => log.push(`${level}: ${message}`),
  });
  const config = { ...played.config, data_func: id };
  const { answer } = runFunction({
    caller: CALLER,
    context: played.context ?? "dev",
    config,
    sources: (played.config?.["sources"] as JsonObject | undefined) ?? {},
    inputs: played.inputs,
    extra: played.extra ?? {},
    functionId: id,
    passthrough: false,
    memory: unlimitedMemory(),
    arrivedAt: clock.now(),
  });
  const envelope = readJsonExactly(Buffer.concat(await answer).toString("utf8")) as unknown as Envelope;
  return { ...envelope.outputs[id]!, ...envelope.status[id]!, called, log, offScript: script.problems() };
}

interface Envelope {
  readonly outputs: Readonly<Record<string, { readonly output: JsonObject; readonly pipes: JsonObject }>>;
  readonly status: Readonly<Record<string, { readonly success: boolean; readonly message: string }>>;
}

const CALLER = {
  organizationId: "org_case",
  tokenId: "tok_case",
  workflow: { ...PLAIN_WORKFLOW, id: "wfl_case", organizationId: "org_case" },
} as const;

/** No case leaves the machine: a source with a vendor is scripted or fails. */
const NO_DOOR: VendorClient = {
  httpFor: () => {
    throw new Fault("source.stopped");
  },
};

/** A case belongs to no organization and is not recorded. */
const NO_LEDGER: Ledger = {
  open: () => ({
    intend: () => {
      throw new Fault("source.unrecorded");
    },
    recordOrder: () => {},
    close: async () => {},
  }),
};

function openScript(played: FunctionCase, sources: SourceCatalog) {
  const found: ValueDifference[] = [];
  const asked = new Map<string, number>();

  function answer(id: string): SourceAnswer {
    const outcomes: readonly ScriptedOutcome[] = asList(played.sources![id]!);
    const number = asked.get(id) ?? 0;
    asked.set(id, number + 1);
    // A single answer is used for every call; a list has one answer for each call, in order.
    const outcome = Array.isArray(played.sources![id]) ? outcomes[number] : outcomes[0];
    if (outcome === undefined) {
      found.push({ at: `sources/${id}`, expected: `${outcomes.length} calls`, found: `call ${number + 1}` });
      throw new Fault("source.stopped");
    }
    if (outcome.failure !== undefined) throw faultOf(id, outcome.failure);
    return outcome.match === false ? new NoMatch(outcome.output) : (outcome.output ?? {});
  }

  function faultOf(id: string, kind: string): Fault {
    const code = CODE_OF_KIND.get(kind);
    const detail = { source: id, afterMs: sources.find(id)?.timeoutMs ?? 0, status: 500, problem: "scripted" };
    if (code !== undefined) return new Fault(code, detail);
    found.push({ at: `sources/${id}/failure`, expected: [...CODE_OF_KIND.keys()].sort().join(", "), found: kind });
    return new Fault("source.stopped");
  }

  const catalog: SourceCatalog = {
    find(id) {
      const real = sources.find(id);
      if (played.sources !== undefined && Object.hasOwn(played.sources, id))
        return scripted(id, real, () => answer(id));
      if (real?.leavesMachine !== true) return real;
      return scripted(id, real, () => {
        found.push({ at: `sources/${id}`, expected: "a scripted answer, because it asks a vendor", found: undefined });
        throw new Fault("source.stopped");
      });
    },
  };

  return {
    catalog,
    problems: (): readonly ValueDifference[] => [
      ...found,
      ...Object.entries(played.sources ?? {}).flatMap(([id, script]) =>
        Array.isArray(script) && (asked.get(id) ?? 0) < script.length
          ? [{ at: `sources/${id}`, expected: `${script.length} calls`, found: `${asked.get(id) ?? 0}` }]
          : [],
      ),
    ],
  };
}

/** The source with its filter and checks, and a scripted adapter. A source that does not exist accepts any inputs. */
function scripted(id: string, real: RunnableSource | undefined, run: () => SourceAnswer): RunnableSource {
  return {
    id,
    version: real?.version ?? "",
    declaration: { id, title: id, inputs: {}, run },
    timeoutMs: real?.timeoutMs ?? CALL_MS_MAX,
    inputNames: real?.inputNames ?? [],
    filter: (inputs) => real?.filter(inputs) ?? inputs,
    inputProblem: (filtered) => real?.inputProblem(filtered) ?? null,
    credentialUse: "none",
    credentialProblem: () => null,
    credentialNames: null,
    accountNames: [],
    leavesMachine: false,
    charge: "free",
    listPrice: null,
    resumable: real?.resumable ?? false,
  };
}

/** The fault of each kind: the fault of an author's `fail(kind)`, otherwise the first one in the table. */
const CODE_OF_KIND: ReadonlyMap<string, SourceFaultCode> = new Map([
  ...Object.entries(FAULTS)
    .filter(([, row]) => row.surface === "source")
    .map(([code, row]) => [row.kind, code as SourceFaultCode] as const)
    .toReversed(),
  ...Object.entries(FAULT_OF_KIND),
]);
