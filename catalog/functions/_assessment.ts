import { Type } from "datarun";

/** A fact about one part of a question, and its effect on that part's weight. */
export interface Finding {
  /** Stable, so programs may rely on it. */
  readonly code: string;
  readonly part: string;
  readonly effect: "supports" | "weakens" | "contradicts" | "not_checked";
  /** The share of the part's weight that is lost, 0 to 1. */
  readonly loses: number;
  readonly text: string;
}

export interface Scored {
  readonly score: number | null;
  readonly coverage: number;
  readonly unchecked: readonly string[];
  readonly reasons: readonly object[];
}

/** A loss from this value on counts as a contradiction, a smaller one as a weakness. */
const CONTRADICTS_FROM = 0.5;

/** Collects findings about the parts of a question and computes a score at the end. */
export function assess(weights: Readonly<Record<string, number>>) {
  const findings: Finding[] = [];
  const given = new Set<string>();
  const checked = new Set<string>();

  return {
    /** Records that the request asks about this part. */
    ask(part: string): void {
      given.add(part);
    },

    /** Records that the part's source answered, so the part counts. */
    answer(part: string): void {
      checked.add(part);
    },

    find(part: string, code: string, loses: number, text: string): void {
      const effect = loses === 0 ? "supports" : loses < CONTRADICTS_FROM ? "weakens" : "contradicts";
      findings.push({ code, part, effect, loses, text });
    },

    /** Records that a part could not be checked: this does not change the score, only the coverage. */
    miss(part: string, code: string, text: string): void {
      findings.push({ code, part, effect: "not_checked", loses: 0, text });
    },

    isContradicted(): boolean {
      return findings.some(({ effect }) => effect === "contradicts");
    },

    /** The weighted mean of the parts that were checked, each reduced by the findings about it. */
    score(): Scored {
      const sum = (parts: readonly string[], value: (part: string) => number) =>
        parts.reduce((total, part) => total + (weights[part] ?? 0) * value(part), 0);
      const counted = [...checked];
      const checkedWeight = sum(counted, () => 1);
      const left = sum(counted, (part) =>
        Math.max(0, 1 - findings.reduce((lost, finding) => lost + (finding.part === part ? finding.loses : 0), 0)),
      );
      const givenWeight = sum([...given], () => 1);
      return {
        score: checkedWeight === 0 ? null : round(left / checkedWeight),
        coverage: givenWeight === 0 ? 0 : round(checkedWeight / givenWeight),
        unchecked: [...given].filter((part) => !checked.has(part)),
        reasons: findings.map(({ code, part, effect, text }) => ({ code, part, effect, text })),
      };
    },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The fields that every assessment returns. */
export const SCORED_FIELDS = {
  score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description:
      "From 0 to 1 by the weights in the description; null when nothing could be checked. It is not a probability.",
  }),
  coverage: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "How much of what was given, by weight, the score rests on.",
  }),
  unchecked: Type.Array(Type.String(), { description: "Parts that were given and could not be checked." }),
  reasons: Type.Array(
    Type.Object(
      {
        code: Type.String({ description: "Stable; the description lists all." }),
        part: Type.String({ description: "What it is about." }),
        effect: Type.Enum(["supports", "weakens", "contradicts", "not_checked"]),
        text: Type.String({ description: "For people. May change." }),
      },
      { additionalProperties: false },
    ),
  ),
};
