import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** The JSON types of values, in the order in which their counts are stored. */
export const JSON_TYPES = ["null", "boolean", "number", "string", "list", "object"] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** In how many replies a path occurred. */
export interface PathCounts {
  /** With any type. */
  total: number;
  readonly types: Record<JsonType, number>;
  /** As an object whose member names are not kept. */
  maps: number;
}

/** The counts of several replies, by path. */
export type ShapeCounts = Map<string, PathCounts>;

/** The types of one path in one reply. */
export interface SeenTypes {
  readonly types: Set<JsonType>;
  isMap: boolean;
}

function noCounts(): PathCounts {
  return { total: 0, types: { null: 0, boolean: 0, number: 0, string: 0, list: 0, object: 0 }, maps: 0 };
}

function countsOf(counts: ShapeCounts, path: string): PathCounts {
  let found = counts.get(path);
  if (found === undefined) counts.set(path, (found = noCounts()));
  return found;
}

/** Adds the paths of one reply. */
export function countReply(counts: ShapeCounts, seen: ReadonlyMap<string, SeenTypes>): void {
  for (const [path, { types, isMap }] of seen) {
    const ofPath = countsOf(counts, path);
    ofPath.total += 1;
    for (const type of types) ofPath.types[type] += 1;
    if (isMap) ofPath.maps += 1;
  }
}

export function addCounts(into: ShapeCounts, counts: ShapeCounts): void {
  for (const [path, { total, types, maps }] of counts) {
    const sum = countsOf(into, path);
    sum.total += total;
    for (const type of JSON_TYPES) sum.types[type] += types[type];
    sum.maps += maps;
  }
}

/** JSON of the numbers of each path, as base64 of gzip. */
export async function encodeCounts(counts: ShapeCounts): Promise<string> {
  const rows = [...counts].map(([path, { total, types, maps }]) => [
    path,
    total,
    ...JSON_TYPES.map((type) => types[type]),
    maps,
  ]);
  return (await promisify(gzip)(JSON.stringify(rows))).toString("base64");
}

export async function decodeCounts(text: string): Promise<ShapeCounts> {
  const rows = JSON.parse(String(await promisify(gunzip)(Buffer.from(text, "base64")))) as [string, ...number[]][];
  return new Map(
    rows.map(([path, total = 0, ...numbers]) => {
      const types = Object.fromEntries(JSON_TYPES.map((type, at) => [type, numbers[at] ?? 0]));
      return [path, { total, types: types as PathCounts["types"], maps: numbers[JSON_TYPES.length] ?? 0 }];
    }),
  );
}
