import { OperatorError } from "../terms/operator-error.ts";
import type { HealthFigures } from "../health/compare-calls.ts";

/** An objective of `source health --slo`: a longest percentile in ms, or a least share in percent. */
export interface Objective {
  readonly name: keyof typeof FIGURES;
  readonly limit: number;
}

const PERCENTILES = { p50: "p50Ms", p95: "p95Ms", p99: "p99Ms" } as const;
const FIGURES = {
  ...PERCENTILES,
  success: ({ failureRate }: HealthFigures) => (failureRate === null ? null : 1 - failureRate),
  match: ({ matchRate }: HealthFigures) => matchRate,
} as const;

/** @throws OperatorError */
export function readObjectives(text: string): readonly Objective[] {
  return text.split(",").map((part) => {
    const { name, number, unit } =
      /^ *(?<name>p50|p95|p99|success|match) *= *(?<number>\d+(?:\.\d+)?) *(?<unit>ms|s|%)? *$/.exec(part)?.groups ??
      {};
    const isTime = name !== undefined && name in PERCENTILES;
    const isValid = isTime ? unit === "ms" || unit === "s" : unit !== "ms" && unit !== "s" && Number(number) <= 100;
    if (name === undefined || !isValid)
      throw new OperatorError(
        "invalid",
        `--slo: "${part.trim()}" is no objective. Write for instance p95=800ms,success=99,match=80: p50, p95 and p99 take ms or s, success and match a percentage.`,
      );
    return { name: name as Objective["name"], limit: Number(number) * (unit === "s" ? 1_000 : 1) };
  });
}

export interface JudgedObjective {
  readonly objective: string;
  /** In ms or percent; `null` if there were no such calls. */
  readonly value: number | null;
  /** `null` if there were no such calls. */
  readonly met: boolean | null;
}

export function judgeObjective({ name, limit }: Objective, figures: HealthFigures): JudgedObjective {
  const figure = FIGURES[name];
  if (typeof figure === "string") {
    const value = figures[figure];
    return { objective: `${name} <= ${limit} ms`, value, met: value === null ? null : value <= limit };
  }
  const share = figure(figures);
  const value = share === null ? null : Math.floor(share * 1e6) / 1e4;
  return { objective: `${name} >= ${limit} %`, value, met: value === null ? null : value >= limit };
}
