import type { ResultOf } from "../../api/verb-types.ts";
import type { OutcomeKind } from "../../parts/outcome.tsx";
import { FAULTS } from "./fault-words.ts";

export type Shown = ResultOf<"ledger show">;
export type Call = Shown["calls"][number];
export type Attempt = Shown["attempts"][number];

/** How a call ended, as a shape and a word. */
export function outcomeOf({ success, match }: Call): OutcomeKind {
  if (success === null) return "waiting";
  if (success === 0) return "failed";
  return match === 1 ? "found" : "no_record";
}

export function outcomeText(call: Call): string {
  if (call.success === null) return "interrupted: how it ended is not recorded";
  if (call.success === 0) return `failed: ${faultText(call.fault_kind, call.fault_code)}`;
  return call.match === 1 ? "found a record" : "no record";
}

function faultText(kind: string | null, code: string | null): string {
  return (kind === null ? undefined : FAULTS[kind]) ?? code ?? "for a reason that is not recorded";
}

/** By which rule a credential was chosen, as a sentence that begins with the credential. */
const RULES: Readonly<Record<string, string>> = {
  inline: "the request brought it",
  named: "the request named it",
  auto: "the newest that fits: the workflow lets the service choose",
  default: "the organization's default for this source",
  none: "no rule gave one, or the source takes none",
};

export function ruleText(rule: string): string {
  return RULES[rule] ?? rule;
}

/** What a call without a stored credential was called with. */
export function contractText(rule: string): string {
  return rule === "inline" ? "a credential that is not stored" : "no credential";
}

/** What the run cost, and whether that is certain, in a sentence or two. */
export function costSentences({ run, costs, unpriced, attempts, calls }: Shown): readonly string[] {
  if (run?.simulated === 1) return ["It was simulated: no vendor was asked, and nothing is billed."];
  const unknown =
    attempts.filter(({ charged }) => charged === "unknown").length + unsentUnknown(calls, attempts).length;
  if (attempts.length === 0 && unknown === 0) return ["It cost nothing: no request was sent to a vendor."];
  const certain = costs.map(({ amount, currency }) => `${amount} ${currency}`).join(" and ");
  const most = costs.map(({ amount_at_most: amount, currency }) => `${amount} ${currency}`).join(" and ");
  const charged = attempts.filter((one) => one.charged === "yes").length;
  const sentences = [];
  if (unknown > 0) {
    const sum =
      costs.length === 0 ? "What it cost is not known" : `It cost ${certain} for certain, and ${most} at most`;
    sentences.push(`${sum}: nobody knows yet whether ${requests(unknown)} ${unknown === 1 ? "was" : "were"} charged.`);
  } else if (charged === 0) {
    sentences.push(`It cost nothing: none of ${requests(attempts.length)} was charged.`);
  } else {
    const sum = costs.length === 0 ? "Its price is not known" : `It cost ${certain}`;
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

/** Calls of unknown charge of which no request is recorded. */
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

/** What one request cost: nothing, its price, or anything between. */
export function priceText({ charged, price, currency }: Pick<Attempt, "charged" | "price" | "currency">): string {
  if (charged === "no") return "–";
  if (price === null) return "no known price";
  return charged === "yes" ? `${price} ${currency}` : `0.00 to ${price} ${currency}`;
}
