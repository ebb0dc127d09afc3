import type { ResultOf, RowOf } from "../../api/verb-types.ts";
import type { OutcomeKind } from "../../parts/outcome.tsx";
import { FAULTS } from "./fault-words.ts";

export type Run = RowOf<"ledger list", "runs">;
export type Shown = ResultOf<"ledger show">;
export type Call = Shown["calls"][number];
export type Attempt = Shown["attempts"][number];

export type ListedCall = Run["outcomes"][number];

/** The outcome of a call as a kind, the same in a list and on the page of the run. */
export function kindOf({ outcome, sent }: Pick<ListedCall, "outcome" | "sent">): OutcomeKind {
  if (outcome === "unknown") return "waiting";
  if (outcome === "failed") return sent ? "failed" : "off";
  return outcome === "match" ? "found" : "no_record";
}

/** The same of a call with its requests. A call of unknown charge may have been sent. */
export function kindOfCall(call: Call, attempts: readonly Attempt[]): OutcomeKind {
  const sent = call.charged === "unknown" || attempts.some(({ ordinal }) => ordinal === call.ordinal);
  if (call.success === null) return kindOf({ outcome: "unknown", sent });
  if (call.success === 0) return kindOf({ outcome: "failed", sent });
  return kindOf({ outcome: call.match === 1 ? "match" : "no_match", sent });
}

export function outcomeText(call: Call): string {
  if (call.success === null) return "interrupted: its outcome is not recorded";
  if (call.success === 0) return `failed: ${faultText(call.fault_kind, call.fault_code)}`;
  return call.match === 1 ? "found a record" : "no record";
}

function faultText(kind: string | null, code: string | null): string {
  return (kind === null ? undefined : FAULTS[kind]) ?? code ?? "for a reason that is not recorded";
}

/** The rule that chose a credential, as the end of a sentence about the credential. */
const RULES: Readonly<Record<string, string>> = {
  inline: "the request contained it",
  named: "the request named it",
  auto: "the newest active one: the workflow selects credentials",
  default: "the organization's default for this source",
  none: "no rule gave one, or the source takes none",
};

export function ruleText(rule: string): string {
  return RULES[rule] ?? rule;
}

/** What replaces the id of the credential if none is stored. */
export function contractText(rule: string): string {
  return rule === "inline" ? "an inline credential" : "no credential";
}

/** The cost of the run and its certainty, in one or two sentences. */
export function costSentences({ run, costs, unpriced, attempts, calls }: Shown): readonly string[] {
  if (run?.simulated === 1) return ["Simulated run: no vendor was called, and nothing is billed."];
  const unknown =
    attempts.filter(({ charged }) => charged === "unknown").length + unsentUnknown(calls, attempts).length;
  if (attempts.length === 0 && unknown === 0) return ["It cost nothing: no request was sent to a vendor."];
  const certain = costs.map(({ amount, currency }) => `${amount} ${currency}`).join(" and ");
  const most = costs.map(({ amount_at_most: amount, currency }) => `${amount} ${currency}`).join(" and ");
  const charged = attempts.filter((one) => one.charged === "yes").length;
  const sentences = [];
  if (unknown > 0) {
    const sum = costs.length === 0 ? "Its cost is unknown" : `It cost at least ${certain} and at most ${most}`;
    sentences.push(`${sum}: it is unknown whether ${requests(unknown)} ${unknown === 1 ? "was" : "were"} charged.`);
  } else if (charged === 0) {
    sentences.push(`It cost nothing: none of ${requests(attempts.length)} was charged.`);
  } else {
    const sum = costs.length === 0 ? "Its price is unknown" : `It cost ${certain}`;
    sentences.push(
      `${sum}: ${charged} of ${requests(attempts.length)} ${charged === 1 ? "was" : "were"} charged, and nothing is uncertain.`,
    );
  }
  if (unpriced > 0)
    sentences.push(
      `${capital(requests(unpriced))} without a known price ${unpriced === 1 ? "is" : "are"} not in the sum.`,
    );
  return sentences;
}

/** Calls with an unknown charge and without any recorded request. */
export function unsentUnknown(calls: readonly Call[], attempts: readonly Attempt[]): readonly Call[] {
  return calls.filter(
    (call) => call.charged === "unknown" && !attempts.some(({ ordinal }) => ordinal === call.ordinal),
  );
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`;
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** The cost of one request: none, its price, or a range. */
export function priceText({ charged, price, currency }: Pick<Attempt, "charged" | "price" | "currency">): string {
  if (charged === "no") return "–";
  if (price === null) return "no known price";
  return charged === "yes" ? `${price} ${currency}` : `0.00 to ${price} ${currency}`;
}
