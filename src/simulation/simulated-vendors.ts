import { isDeepStrictEqual } from "node:util";
import type { PlannedCall, RunnableSource, SimulatedVendors } from "../run/ports.ts";
import type { ScriptedReply, SourceCase } from "../sdk/source.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault, faultOfDeadline } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { asList } from "./as-list.ts";
import { magicOf, MAGIC_REPLIES, SLOW_MS, type Magic } from "./magic-inputs.ts";
import { scriptedBytes } from "./scripted-bytes.ts";

/** The behaviour of a source's vendor if the request asks for none; `null`: it replies normally. */
export type UsualFailures = (source: string) => Magic | null;

const NO_FAILURES: UsualFailures = () => null;

/**
 * Simulates all vendors with the cases of their sources, chosen by the inputs of the call. The code before and after
 * the network is the real one, so a simulated reply passes through the same statuses, rules and mapping. `isSource`:
 * the sources for which a request may ask for a failure.
 */
export function createSimulatedVendors(
  clock: Clock,
  isSource: (id: string) => boolean,
  usual: UsualFailures = NO_FAILURES,
): SimulatedVendors {
  return {
    simulateCall(source, call) {
      let next: (() => ScriptedReply) | undefined;
      return async () => {
        next ??= scriptFor(source, call, magicOf(source.id, magicInputs(source, call), isSource) ?? usual(source.id));
        const reply = next();
        await wait(reply.delay_ms ?? 0, call);
        if (reply.fault === "hang") await wait(Number.POSITIVE_INFINITY, call);
        if (reply.fault !== undefined) throw new Fault("source.connection_lost");
        return scriptedBytes(reply);
      };
    },
  };

  /** Waits, but not beyond the call's deadline. */
  function wait(delayMs: number, call: PlannedCall): Promise<void> {
    if (delayMs === 0) return Promise.resolve();
    const leftMs = Math.max(0, call.deadlineAt - clock.now());
    return new Promise((resolve, reject) => {
      clock.after(Math.min(delayMs, leftMs), () => {
        if (delayMs <= leftMs) resolve();
        else reject(faultOfDeadline(call));
      });
    });
  }
}

/** The replies of one call in order. The last reply also answers all further requests. */
function scriptFor(source: RunnableSource, call: PlannedCall, magic: Magic | null): () => ScriptedReply {
  const chosen = caseFor(source, call, magic);
  const replies = asList(chosen?.reply);
  const instead = magic === null ? null : MAGIC_REPLIES[magic];
  const script =
    instead !== null
      ? [...replies.slice(0, -1), instead]
      : magic === "slow"
        ? [...replies.slice(0, -1), { ...replies.at(-1), delay_ms: SLOW_MS }]
        : replies;
  if (script.length === 0)
    throw new Fault("source.contract", { problem: "the source has no case from which this can be simulated" });
  let asked = 0;
  return () => script[Math.min(asked++, script.length - 1)]!;
}

function caseFor(source: RunnableSource, call: PlannedCall, magic: Magic | null): SourceCase | null {
  const cases = (source.declaration.cases ?? []).filter(({ reply }) => asList(reply).length > 0);
  return magic === "no_record" ? noRecordCase(cases) : chooseCase(cases, call.inputs);
}

/** All inputs of the request. `simulate` is disabled if the source itself declares an input of that name. */
function magicInputs(source: RunnableSource, call: PlannedCall): JsonObject {
  return source.inputNames.includes("simulate") ? { ...call.inputs, simulate: null } : call.rawInputs;
}

/**
 * Chooses the case that answers these inputs. First choice: equal inputs, if possible without a failure. Otherwise: the
 * case with a record that shares the most inputs, so that a simulated workflow always returns an example. Simulated
 * runs are marked as such everywhere, so an example is not mistaken for a real answer. `null` if the source has no case
 * with a record.
 */
function chooseCase(cases: readonly SourceCase[], inputs: JsonObject): SourceCase | null {
  const given = Object.fromEntries(Object.entries(inputs));
  const equal = cases.filter((each) => isDeepStrictEqual(each.inputs, given));
  if (equal.length > 0) return equal.find(({ expect }) => "match" in expect) ?? equal[0]!;
  let best: SourceCase | null = null;
  let bestLikeness = -1;
  for (const each of cases) {
    const likeness = likenessOf(each.inputs, given);
    if ("match" in each.expect && each.expect.match && likeness > bestLikeness) {
      best = each;
      bestLikeness = likeness;
    }
  }
  return best;
}

/**
 * The number of equal inputs, plus 0.5 if the same names are given: a source may send another request for another set
 * of names.
 */
function likenessOf(inputs: JsonObject, given: JsonObject): number {
  const shared = Object.entries(inputs).filter(([name, value]) => isDeepStrictEqual(given[name], value)).length;
  const asksAlike = isDeepStrictEqual(Object.keys(inputs).sort(), Object.keys(given).sort());
  return shared + (asksAlike ? 0.5 : 0);
}

/** The case that shows what "no record" looks like. */
function noRecordCase(cases: readonly SourceCase[]): SourceCase | null {
  return cases.find(({ expect }) => "match" in expect && !expect.match) ?? null;
}
