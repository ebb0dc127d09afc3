import type { OutcomeKind } from "../../parts/outcome.tsx";
import type { Answer, Asked } from "./run-under-way.ts";

/** What came of one source, or of the function. */
export interface Entry {
  readonly id: string;
  readonly title: string | undefined;
  readonly kind: OutcomeKind;
  /** In words, for who does not see the shape. */
  readonly says: string;
  /** What the answer says besides; empty if that is all. */
  readonly message: string;
  readonly tookMs: number;
  readonly output: unknown;
}

interface Status {
  readonly success?: boolean;
  readonly match?: boolean;
  readonly message?: string;
  readonly response_time_ms?: number;
  readonly failure?: { readonly kind?: string; readonly charged?: string };
}

/** The entries of an answer in the order of the request. `null` for a function's own answer, which has no such form. */
export function entriesOf(answer: Answer, { sources }: Pick<Asked, "sources">): readonly Entry[] | null {
  const { status, outputs } = answer;
  if (!isObject(status) || !isObject(outputs)) return null;
  return Object.entries(status).map(([id, value]) => {
    const { success = false, match, message = "", response_time_ms: tookMs = 0, failure } = Object(value) as Status;
    const isUnknown = !success && failure?.charged === "unknown";
    const kind = success ? (match === false ? "no_record" : "found") : isUnknown ? "unknown" : "failed";
    // A function finds nothing itself.
    const found = match === undefined ? "completed" : "found";
    const says = { found, no_record: "no record", failed: "failed", unknown: "failed, charge unknown" }[kind];
    const title = sources.find((one) => one.id === id)?.title;
    const isSaid = kind === "no_record" || (kind === "found" && (found === "found" || message === COMPLETED));
    return { id, title, kind, says, message: isSaid ? "" : message, tookMs, output: outputs[id] };
  });
}

/** Of a function that says nothing of its own. */
const COMPLETED = "Function completed";

const ORDER: readonly OutcomeKind[] = ["found", "no_record", "failed", "unknown"];

/** How many of each, in a sentence: `4 found, 1 failed`. */
export function summaryOf(entries: readonly Entry[]): string {
  return ORDER.flatMap((kind) => {
    const of = entries.filter((entry) => entry.kind === kind);
    return of.length === 0 ? [] : [`${of.length} ${of[0]!.says}`];
  }).join(", ");
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
