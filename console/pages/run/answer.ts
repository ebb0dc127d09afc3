import type { OutcomeKind } from "../../parts/outcome.tsx";
import type { Answer, RunParameters } from "./current-run.ts";

/** The result of one source or function. */
export interface Entry {
  readonly id: string;
  readonly title: string | undefined;
  readonly kind: OutcomeKind;
  /** The outcome in words, for screen readers. */
  readonly says: string;
  /** Further text of the answer; empty if there is none. */
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

/**
 * The entries of an answer in the order of the request; `null` for the output of a function, which has no fixed form.
 */
export function entriesOf(answer: Answer, { sources }: Pick<RunParameters, "sources">): readonly Entry[] | null {
  const { status, outputs } = answer;
  if (!isObject(status) || !isObject(outputs)) return null;
  return Object.entries(status).map(([id, value]) => {
    const { success = false, match, message = "", response_time_ms: tookMs = 0, failure } = Object(value) as Status;
    const isUnknown = !success && failure?.charged === "unknown";
    const kind = success ? (match === false ? "no_record" : "found") : isUnknown ? "unknown" : "failed";
    // A function has no `match`.
    const found = match === undefined ? "completed" : "found";
    const says = { found, no_record: "no record", failed: "failed", unknown: "failed, charge unknown" }[kind];
    const title = sources.find((one) => one.id === id)?.title;
    const isSaid = kind === "no_record" || (kind === "found" && (found === "found" || message === COMPLETED));
    return { id, title, kind, says, message: isSaid ? "" : message, tookMs, output: outputs[id] };
  });
}

/** A message without the prefix of the contract, where it is shown already that the source failed. */
export function withoutPrefix(message: string): string {
  return message.replace(/^(?:Adapter|Unexpected|Data function) error: /, "");
}

/** The message of a function that reports none of its own. */
const COMPLETED = "Function completed";

const ORDER: readonly OutcomeKind[] = ["found", "no_record", "failed", "unknown"];

/** Counts by outcome, such as `4 found, 1 failed`. */
export function summaryOf(entries: readonly Entry[]): string {
  return ORDER.flatMap((kind) => {
    const of = entries.filter((entry) => entry.kind === kind);
    return of.length === 0 ? [] : [`${of.length} ${of[0]!.says}`];
  }).join(", ");
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
