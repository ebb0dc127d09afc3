import type { RunnableSource } from "../../run/ports.ts";
import type { Proof } from "../../sources/proofs.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { amountText, type Micros } from "../../terms/money/money.ts";
import type { Price } from "../../terms/money/price.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** The pause before the same vendor is called for another source. */
export const PAUSE_MS = 1_000;

/** A source that can be proved, with what the call costs. */
export interface ProvableSource {
  readonly source: RunnableSource;
  /** `unknown`: it is billed, and has no price. */
  readonly cost: "nothing" | "unknown" | Price;
}

export interface Called {
  readonly outcome: string;
  readonly message: string | null;
  /** What the call cost at most. */
  readonly spent: Price | null;
  readonly requests: number;
  readonly differences: readonly string[];
  /** `null` if the call failed. */
  readonly proof: Proof | null;
}

export interface ProvedSource extends Omit<Called, "proof" | "spent"> {
  readonly source: string;
  /** `failed`: the vendor was called and the call failed, or there was no record. */
  readonly state: "proved" | "failed" | "skipped";
}

export interface ProveParts {
  readonly clock: Clock;
  /** Calls the vendor of a source once. @throws OperatorError if that is not allowed or not possible */
  call(source: RunnableSource): Promise<Called>;
  /** Whether a billed call may be made. `at most 0.35 EUR` is what it costs. */
  agree(source: RunnableSource, price: string): Promise<boolean>;
  /** The most that all calls together may cost. */
  readonly most: Price | undefined;
  /** Keeps the proof. Called after each reply, so that an interrupted command leaves the proofs up to that point. */
  keep(id: string, proof: Proof): void;
  onCalled(row: ProvedSource): void;
}

/** Calls each vendor once, one after another: first those that bill nothing, then the cheapest. */
export async function proveSources(
  candidates: readonly ProvableSource[],
  parts: ProveParts,
): Promise<readonly ProvedSource[]> {
  const { clock, most } = parts;
  const rows: ProvedSource[] = [];
  const lastCalledAt = new Map<string, number>();
  let spent: Micros = 0n;
  const report = (row: ProvedSource) => {
    rows.push(row);
    parts.onCalled(row);
  };
  for (const { source, cost } of candidates.toSorted(cheaperFirst)) {
    const tooMuch = cost === "nothing" || most === undefined ? null : exceeds(cost, most, spent);
    if (tooMuch !== null) {
      report(skipped(source.id, tooMuch));
      continue;
    }
    if (cost !== "nothing" && !(await parts.agree(source, priceText(cost)))) {
      report(skipped(source.id, `${priceText(cost)}: not agreed; --yes agrees to all`));
      continue;
    }
    const origins = source.declaration.origins ?? [];
    await pauseFor(Math.max(...origins.map((origin) => lastCalledAt.get(origin) ?? -Infinity)), clock);
    try {
      const { proof, spent: costs, ...called } = await parts.call(source);
      spent += costs?.amount ?? 0n;
      if (called.outcome === "credential" && called.requests === 0) {
        report(skipped(source.id, NO_CREDENTIAL));
        continue;
      }
      if (proof !== null) parts.keep(source.id, proof);
      report({ source: source.id, state: proof?.match === true ? "proved" : "failed", ...called });
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      report(skipped(source.id, error.message));
    } finally {
      for (const origin of origins) lastCalledAt.set(origin, clock.now());
    }
  }
  return rows;
}

export const NO_CREDENTIAL = "no credential of the organization is usable";

export function skipped(source: string, message: string): ProvedSource {
  return { source, state: "skipped", outcome: "", message, requests: 0, differences: [] };
}

function cheaperFirst({ cost: one, source: a }: ProvableSource, { cost: other, source: b }: ProvableSource): number {
  return rank(one) - rank(other) || byAmount(one, other) || (a.id < b.id ? -1 : 1);
}

function rank(cost: ProvableSource["cost"]): number {
  return cost === "nothing" ? 0 : cost === "unknown" ? 2 : 1;
}

function byAmount(one: ProvableSource["cost"], other: ProvableSource["cost"]): number {
  if (typeof one === "string" || typeof other === "string" || one.amount === other.amount) return 0;
  return one.amount < other.amount ? -1 : 1;
}

function priceText(cost: Exclude<ProvableSource["cost"], "nothing">): string {
  return cost === "unknown" ? "billed, without a known price" : `at most ${moneyText(cost)}`;
}

function moneyText({ amount, currency }: Price): string {
  return `${amountText(amount)} ${currency}`;
}

/** Why a call is too expensive; `null` if it is not. */
function exceeds(cost: "unknown" | Price, most: Price, spent: Micros): string | null {
  if (cost === "unknown") return `${priceText(cost)}, and --max-cost is given`;
  if (cost.currency !== most.currency) return `${priceText(cost)}, and --max-cost is in ${most.currency}`;
  if (spent + cost.amount <= most.amount) return null;
  return `${priceText(cost)}, and ${moneyText({ ...most, amount: most.amount - spent })} is left of --max-cost`;
}

async function pauseFor(lastAskedAt: number, clock: Clock): Promise<void> {
  const leftMs = lastAskedAt + PAUSE_MS - clock.now();
  if (leftMs <= 0) return;
  await new Promise<void>((resolve) => {
    clock.after(leftMs, resolve);
  });
}
