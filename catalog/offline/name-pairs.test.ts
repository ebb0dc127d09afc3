import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parse } from "csv-parse/sync";

import companies from "../sources/names/company_comparison.ts";
import persons from "../sources/names/person_comparison.ts";

/** The limit from which two names are taken for one. */
const SAME_MIN = 0.85;

interface LabelledPair {
  /** `Person`, or any other for a company. */
  readonly schema: string;
  readonly name1: string;
  readonly name2: string;
  readonly is_match: "true" | "false";
}

/** Precision and recall of the names that are taken for one, and their harmonic mean. */
function measure(file: string | URL) {
  const pairs = parse<LabelledPair>(readFileSync(file, "utf8"), { columns: true });
  const counts = { right: 0, wrong: 0, missed: 0 };
  for (const pair of pairs) {
    const isSame = scoreOf(pair) >= SAME_MIN;
    if (pair.is_match === "true") counts[isSame ? "right" : "missed"] += 1;
    else if (isSame) counts.wrong += 1;
  }
  const { right, wrong, missed } = counts;
  return {
    precision: right / (right + wrong),
    recall: right / (right + missed),
    f1: (2 * right) / (2 * right + wrong + missed),
  };
}

function scoreOf({ schema, name1, name2 }: LabelledPair): number {
  const source = schema === "Person" ? persons : companies;
  const noMatch = (output: object) => ({ ...output, score: 0 });
  const found = source.run({ inputs: { name: name1, other_name: name2 }, noMatch } as never) as { score: number };
  return found.score;
}

/*
 * Another file of labelled pairs is measured with NAME_PAIRS=FILE, with the columns of ours: contrib/name_bench/cases.csv
 * of opensanctions/nomenklatura, for instance, whose 826 pairs give an F1 of 0.83.
 */
const { NAME_PAIRS } = process.env;
const OWN_PAIRS = new URL("name-pairs.csv", import.meta.url);

test("at least as many labelled pairs of names are recognized as so far", (t) => {
  const { precision, recall, f1 } = measure(NAME_PAIRS ?? OWN_PAIRS);
  t.diagnostic(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}`);
  assert.ok(f1 >= (NAME_PAIRS === undefined ? 0.91 : 0.82), `F1 is ${f1.toFixed(3)}`);
});
