/*
 * By what the history is grouped. Stored lines have the keys of one grouping each; a query reads the first grouping that
 * has all of its keys. Groupings with few lines come first.
 */

/** The keys of a call, and those of a run. */
export const KEYS = {
  call: [
    "organization_key",
    "workflow_key",
    "function_key",
    "function_version_key",
    "source_key",
    "source_version_key",
    "credential_key",
  ],
  run: ["organization_key", "workflow_key", "function_key", "function_version_key", "token_key"],
} as const;
export type HistoryUnit = keyof typeof KEYS;
export type HistoryKey = (typeof KEYS)[HistoryUnit][number];

/** All keys, as columns of stored lines. */
export const ALL_KEYS: readonly HistoryKey[] = [...new Set<HistoryKey>([...KEYS.call, ...KEYS.run])];

export interface Grouping {
  /** As stored; never given to another grouping. */
  readonly number: number;
  readonly unit: HistoryUnit;
  readonly keys: readonly HistoryKey[];
}

export const GROUPINGS: readonly Grouping[] = [
  { number: 1, unit: "call", keys: ["source_key", "source_version_key"] },
  { number: 2, unit: "call", keys: ["organization_key", "workflow_key"] },
  { number: 3, unit: "call", keys: ["organization_key", "source_key", "credential_key"] },
  { number: 4, unit: "call", keys: ["function_key", "function_version_key", "source_key", "source_version_key"] },
  { number: 5, unit: "call", keys: ["organization_key", "workflow_key", "source_key", "source_version_key"] },
  { number: 6, unit: "run", keys: ["function_key", "function_version_key"] },
  { number: 7, unit: "run", keys: ["organization_key", "token_key"] },
  { number: 8, unit: "run", keys: ["organization_key", "workflow_key", "function_key", "function_version_key"] },
];

/** `null` if no grouping has all of these keys. */
export function groupingWith(unit: HistoryUnit, keys: readonly HistoryKey[]): Grouping | null {
  return (
    GROUPINGS.find((grouping) => grouping.unit === unit && keys.every((key) => grouping.keys.includes(key))) ?? null
  );
}
