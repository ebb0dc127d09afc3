import type { HealthFigures, CallShift } from "../../../health/compare-calls.ts";
import type { PathDrift, PathUse } from "../../../health/find-drift.ts";
import { pathText } from "../../../health/shape-path.ts";
import { readSourceHealth } from "../../../health/source-health.ts";
import { Type } from "../../../terms/schema/type.ts";
import { callHistoryOf } from "../../call-history.ts";
import { momentInput, toRecentSpan } from "../../ledger-inputs.ts";
import { judgeObjective, readObjectives } from "../../objectives.ts";
import { numbersOf } from "../../recorded-versions.ts";
import { count, listOf, oneOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import { requireSource } from "../../require.ts";
import { sourceInput } from "../../shared-inputs.ts";
import { defineVerb } from "../../verb.ts";

const figure = orNull(Type.Number());

export default defineVerb({
  summary: "Compare the calls and replies of a source with those of the 28 days before",
  description:
    "Figures come from the ledger; rates are percentages. Paths and types come from replies with a record, or that the source could not use: at most one per second is sampled. Values are never stored, and neither are names of members that may be data; such members are *. A path is reported only if chance is improbable, among replies that have its parent, and for the version of the source that runs. Without --from, the paths of the newest hours with at least 200 samples are compared; the share of replies that have a path, over the whole time.",
  example: "google__phone_number --slo p95=800ms,success=99",
  input: {
    source: sourceInput,
    from: Type.Optional(momentInput("Compare the calls from then on; the last 24 hours by default")),
    to: Type.Optional(momentInput("Compare the calls before then")),
    slo: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          "Objectives such as p95=800ms,success=99,match=80. The command fails if one is missed. Success is the share of the calls that did not fail at the vendor or in the source",
      }),
    ),
  },
  positional: ["source"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger", "sources"],

  result: Type.Object({
    source: text,
    from: time,
    to: time,
    since: { ...time, description: "The start of the earlier time, which ends at `from`" },
    figures: rowsOf({
      figure: oneOf("calls", "match_rate", "failure_rate", "p50_ms", "p95_ms", "p99_ms"),
      now: figure,
      before: figure,
      shifted: { ...yesOrNo, description: "Whether the difference is large, and no chance" },
    }),
    version: { ...orNull(count), description: "The version of the source whose replies are compared" },
    digest: orNull(text),
    samples: { ...count, description: "Sampled replies" },
    samples_before: { ...count, description: "Without any, paths cannot be compared yet" },
    sampled_from: { ...orNull(time), description: "The start of the hours that were compared" },
    drift: rowsOf({
      path: text,
      kind: oneOf("missing", "new", "changed", "shifted"),
      says: { ...text, description: "A sentence for people, which may change" },
      replies: count,
      of: { ...count, description: "The replies that have the parent of the path" },
      types: listOf(text),
      replies_before: count,
      of_before: count,
      types_before: listOf(text),
    }),
    slo: rowsOf({
      objective: text,
      value: { ...figure, description: "In ms, or in percent; null without such calls" },
      met: { ...orNull(yesOrNo), description: "null without such calls" },
    }),
  }),

  async run({ source, slo, ...times }, { clock, store, ledger, sources }) {
    const objectives = slo === undefined ? [] : readObjectives(slo);
    const span = toRecentSpan(times, clock);
    const parts = { store: await store(), history: callHistoryOf(await ledger()) };
    const health = await readSourceHealth(parts, source, span, times.from !== undefined);
    const { calls, replies, shifts } = health;
    // A source that was removed has a past.
    if (calls.now.calls + calls.before.calls === 0 && replies === null) requireSource(await sources(), source);
    const digest = replies?.version ?? null;
    const numberOf = await numbersOf(store, [digest]);
    return {
      source,
      from: toWireTime(span.from),
      to: toWireTime(span.to),
      since: toWireTime(health.since),
      figures: FIGURES.map(([name, valueOf, shift]) => ({
        figure: name,
        now: valueOf(calls.now),
        before: valueOf(calls.before),
        shifted: shift !== null && shifts.includes(shift),
      })),
      version: numberOf("source", source, digest),
      digest,
      samples: replies?.samples ?? 0,
      samples_before: replies?.samplesBefore ?? 0,
      sampled_from: replies === null ? null : toWireTime(replies.sampledFrom),
      drift: (replies?.drift ?? []).map(toWireDrift),
      slo: objectives.map((objective) => ({ ...judgeObjective(objective, calls.now) })),
    };
  },

  hasFailed: ({ slo }) => slo.some(({ met }) => met === false),

  columns: {
    figures: ["figure", "now", "before", "shifted"],
    drift: ["kind", "says"],
    slo: ["objective", "value", "met"],
  },
  nothing: { drift: "No path of the replies has changed.", slo: "No objective was given." },
});

type Figure = readonly [name: string, valueOf: (figures: HealthFigures) => number | null, shift: CallShift | null];

const FIGURES: readonly Figure[] = [
  ["calls", ({ calls }) => calls, null],
  ["match_rate", ({ matchRate }) => percent(matchRate), "match_rate"],
  ["failure_rate", ({ failureRate }) => percent(failureRate), "failure_rate"],
  ["p50_ms", ({ p50Ms }) => p50Ms, null],
  ["p95_ms", ({ p95Ms }) => p95Ms, "latency"],
  ["p99_ms", ({ p99Ms }) => p99Ms, null],
];

function percent(share: number | null): number | null {
  return share === null ? null : Math.round(share * 10_000) / 100;
}

function toWireDrift(drift: PathDrift) {
  const { path, kind, now, before } = drift;
  return {
    path,
    kind,
    says: driftText(drift),
    replies: now.replies,
    of: now.of,
    types: [...now.types],
    replies_before: before.replies,
    of_before: before.of,
    types_before: [...before.types],
  };
}

function driftText({ path, kind, now, before }: PathDrift): string {
  const name = pathText(path);
  if (kind === "missing") return `${name} is in none of ${now.of} replies; before it was in ${shareText(before)}.`;
  if (kind === "shifted") return `${name} is in ${shareText(now)}; before it was in ${shareText(before)}.`;
  if (kind === "new") return `${name} is in ${shareText(now)}; before it was in none of ${before.of}.`;
  return `${name} is ${now.types.join(" or ")}; before it was ${before.types.join(" or ")}.`;
}

function shareText({ replies, of }: PathUse): string {
  return `${replies} of ${of} replies`;
}
