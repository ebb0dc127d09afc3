import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json.ts";
import { endWith, settle, type Outcome } from "./fan-out.ts";
import { planCall, type Planned } from "./plan.ts";
import type { FunctionHost, Run, RunSource, SourceCatalog } from "./ports.ts";

export interface HostParts {
  readonly catalog: SourceCatalog;
  readonly runSource: RunSource;
  readonly clock: Clock;
  readonly log: (run: Run, functionId: string, level: "debug" | "info" | "warn", message: string) => void;
}

export interface HostRun {
  readonly run: Run;
  readonly functionId: string;
  /** The request's `config.sources`: the entry of a source, if any, applies to its calls. */
  readonly sources: JsonObject;
  readonly deadlineAt: number;
}

/** What a function reaches the service by, and what it has done so far. */
export interface OpenHost extends FunctionHost {
  readonly pipes: ReadonlyMap<string, Json>;
  /** No further call from now on. Calls that nobody waits for any more are settled as abandoned. */
  end(): readonly Outcome[];
}

/** The bridge of one function run: every call goes through the same engine as those of `/data`. */
export function openHost(host: HostRun, parts: HostParts): OpenHost {
  const { catalog, runSource, clock } = parts;
  const pipes = new Map<string, Json>();
  const slots: { readonly planned: Planned; outcome: Outcome | null }[] = [];
  let ended = false;

  return {
    pipes,

    async runSource(id, inputsJson) {
      if (ended) return outcomeText(new Fault("source.stopped"), 0);
      const inputs: unknown = JSON.parse(inputsJson);
      const source = catalog.find(id);
      const startedAt = clock.now();
      const call = planCall(host.run, {
        id,
        ordinal: slots.length,
        entry: Object.hasOwn(host.sources, id) ? host.sources[id] : undefined,
        inputs: isJsonObject(inputs) ? inputs : {},
        source,
        startedAt,
        from: startedAt,
        notPast: host.deadlineAt,
      });
      const slot: (typeof slots)[number] = { planned: { call, source }, outcome: null };
      slots.push(slot);
      const outcome = await settle(slot.planned, runSource, clock);
      slot.outcome ??= outcome;
      return outcomeText(slot.outcome.result, slot.outcome.tookMs);
    },

    pipe(name, json) {
      if (!ended) pipes.set(name, JSON.parse(json) as Json);
    },

    log(level, message) {
      parts.log(host.run, host.functionId, level, message);
    },

    end() {
      ended = true;
      return slots.map((slot) => (slot.outcome ??= endWith(slot.planned, new Fault("source.abandoned"), clock)));
    },
  };
}

/** A `SourceOutcome` as JSON text; the output is spliced, as in an answer. */
function outcomeText(result: Outcome["result"], tookMs: number): string {
  if (result instanceof Fault) {
    return `{"success":false,"match":false,"message":${JSON.stringify(result.says)},"output":{},"response_time_ms":${tookMs}}`;
  }
  const output = typeof result.json === "string" ? result.json : result.json.toString("utf8");
  const message = result.match ? "Record found" : "No record found";
  return `{"success":true,"match":${result.match},"message":"${message}","output":${output},"response_time_ms":${tookMs}}`;
}
