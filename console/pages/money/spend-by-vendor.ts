import type { ResultOf } from "../../api/verb-types.ts";
import { amountOf, toMicros } from "../../parts/micros.ts";
import type { TimeAxis } from "../../parts/time-range-shape.ts";

type Group = ResultOf<"ledger history">["groups"][number];

export interface VendorSpend {
  readonly vendor: string;
  /** For each step; `null`: nothing was charged. */
  readonly amounts: readonly ({ readonly least: string; readonly most: string } | null)[];
}

/** As many vendors as there are colours; the others are added up. */
const VENDORS_MAX = 7;

/** The amounts of each vendor by step, those of most spend first, by currency. */
export function spendByVendor(
  groups: readonly Pick<Group, "key" | "points">[],
  starts: readonly number[],
): ReadonlyMap<string, readonly VendorSpend[]> {
  const byCurrency = new Map<string, Map<string, Sums>>();
  for (const { key, points } of groups)
    for (const { at, costs } of points)
      for (const { currency, amount, amount_at_most: most } of costs) {
        const vendors = byCurrency.get(currency) ?? new Map<string, Sums>();
        byCurrency.set(currency, vendors);
        const sums = vendors.get(key) ?? emptySums(starts.length);
        vendors.set(key, sums);
        const step = starts.indexOf(Date.parse(at));
        if (step !== -1) add(sums, step, toMicros(amount), toMicros(most));
      }
  return new Map(
    [...byCurrency].map(([currency, vendors]) => {
      const sorted = [...vendors].toSorted(([, one], [, other]) => (one.all < other.all ? 1 : -1));
      const named = sorted.slice(0, sorted.length > VENDORS_MAX ? VENDORS_MAX - 1 : VENDORS_MAX);
      const others = sorted.slice(named.length);
      const added = emptySums(starts.length);
      for (const [, { least, most }] of others)
        for (const step of starts.keys()) add(added, step, least[step]!, most[step]!);
      const all = others.length === 0 ? named : [...named, ["others", added] as const];
      return [currency, all.map(([vendor, sums]) => ({ vendor, amounts: amountsOf(sums) }))];
    }),
  );
}

interface Sums {
  readonly least: bigint[];
  readonly most: bigint[];
  all: bigint;
}

function emptySums(length: number): Sums {
  return { least: Array<bigint>(length).fill(0n), most: Array<bigint>(length).fill(0n), all: 0n };
}

function add(sums: Sums, step: number, least: bigint, most: bigint): void {
  sums.least[step]! += least;
  sums.most[step]! += most;
  sums.all += most;
}

function amountsOf({ least, most }: Sums): VendorSpend["amounts"] {
  return most.map((one, step) => (one === 0n ? null : { least: amountOf(least[step]!), most: amountOf(one) }));
}

/** The days to come at the average of the days before today, and the sum of all; `null` without such days. */
export function forecastOf(
  { starts, to }: Pick<TimeAxis, "starts" | "to">,
  vendors: readonly VendorSpend[],
  now: number,
): { readonly values: readonly (number | null)[]; readonly sum: number } | null {
  const today = starts.findLastIndex((start) => start <= now);
  if (today < 1 || now >= to || today === starts.length - 1) return null;
  const sumOf = (step: number) =>
    vendors.reduce((sum, { amounts }) => sum + Number(toMicros(amounts[step]?.most ?? "0")) / 1e6, 0);
  const before = starts.slice(0, today).reduce((sum, _, step) => sum + sumOf(step), 0);
  const average = before / today;
  if (average === 0) return null;
  return {
    values: starts.map((_, step) => (step > today ? average : null)),
    sum: before + Math.max(sumOf(today), average) + average * (starts.length - 1 - today),
  };
}
