import assert from "node:assert/strict";
import { test } from "node:test";

import { NoMatch, type SourceCall } from "datarun";

import source from "./stdnum/registration_number.ts";

/** One in ten random numbers has the right check digit; a kind may have three such numbers of the same length. */
const ACCEPTED_BY_CHANCE_MAX = 0.4;
/** The least for a rule that says `check_digits`: it must notice more than half of all single mistyped digits. */
const TYPOS_ACCEPTED_MAX = 0.5;
/** The least for a rule that says it has none: half of the mistyped digits of a year or region cannot exist. */
const TYPOS_ACCEPTED_MIN = 0.4;
const TRIES = 100;

/** Numbers with letters, which random digits never match: `#` is any digit, `@` any letter. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  "AD tax": ["F######@"],
  "AL tax": ["J########@"],
  "AO person": ["#########LA0##"],
  "AT vat": ["U########"],
  "AT company": ["######@"],
  "BO person": ["#######LP"],
  "CA vat": ["#########RT0001"],
  "CH company": ["CHE#########"],
  "CH person": ["756##########"],
  "CY vat": ["1#######@"],
  "CZ person": ["5#0###0##"],
  "DE tax": ["###/###/#####", "9###0#########"],
  "ES vat": ["B########", "########@", "X#######@"],
  "FI person": ["0#0#7#-###@"],
  "FR tax": ["0############", "1############"],
  "GB vat": ["GD###", "HA###"],
  "GB person": ["AB######@"],
  "GH tax": ["C0000######"],
  "HK person": ["A######(#)"],
  "IE vat": ["#######@", "#+#####@"],
  "IN tax": ["AAAP@####@"],
  "IT tax": ["RSSMRA0#A0#H###@"],
  "KE tax": ["P#########@"],
  "MX company": ["ABC0#0#0####", "ABC0#0#0#"],
  "MZ person": ["############@"],
  "NL vat": ["#########B##"],
  "NO vat": ["#########MVA"],
  "RO company": ["J40/###/20##"],
  "SG company": ["########@", "19#######@"],
  "TN tax": ["#######@"],
  "TW person": ["A1########"],
  "UY tax": ["21########001#"],
  "VE tax": ["J#########"],
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The same numbers in every run, so that results are reproducible. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Found {
  readonly match: boolean;
  readonly number: string;
  readonly type: string;
  readonly checked: boolean;
  readonly reason?: string;
}

async function ask(country: string, kind: string, number: string): Promise<Found> {
  const noMatch = (output: object = {}) => new NoMatch(output as NoMatch["output"]);
  const call = { inputs: { country, kind, number }, credentials: {}, noMatch } as unknown as SourceCall<never, never>;
  const answer = await source.run(call);
  if (answer instanceof NoMatch) {
    const { reason } = answer.output as { reason: string };
    return { match: false, number: "", type: "", checked: false, reason };
  }
  const record = answer as unknown as { number: string; type: string; check_digits: boolean };
  return { match: true, number: record.number, type: record.type, checked: record.check_digits };
}

const rows = [...(source.description ?? "").matchAll(/^\| ([A-Z]{2}) \| (.+) \|$/gm)].flatMap(
  ([, country = "", kinds = ""]) => [...kinds.matchAll(/([a-z]+) \(/g)].map(([, kind = ""]) => ({ country, kind })),
);

test("digits by chance are seldom a number, wherever a number says that it has check digits", async () => {
  assert.ok(rows.length > 150);
  const any = seeded(1);
  for (const { country, kind } of rows) {
    for (let length = 3; length <= 20; length += 1) {
      let accepted = 0;
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const found = await ask(country, kind, chosen("#".repeat(length), any));
        if (found.reason === "unknown_format") break;
        if (found.match && found.checked) accepted += 1;
      }
      assert.ok(
        accepted / TRIES <= ACCEPTED_BY_CHANCE_MAX,
        `${country} ${kind}: ${accepted} of ${TRIES}, ${length} long`,
      );
    }
  }
});

test("a number says that it has check digits exactly where most mistyped digits are noticed", async () => {
  const any = seeded(2);
  const typos = new Map<string, { tried: number; accepted: number }>();
  for (const { country, kind } of rows) {
    const shapes = [...(SHAPES[`${country} ${kind}`] ?? []), ...[...Array(18).keys()].map((n) => "#".repeat(n + 3))];
    for (const shape of shapes) {
      const number = await rightNumber(country, kind, shape, any);
      if (number === null) continue;
      for (const mistyped of withOneOtherDigit(number.typed)) {
        const found = await ask(country, kind, mistyped);
        const key = `${country}.${number.type}, ${number.compact.length} long: ${number.checked ? "checked" : "unchecked"}`;
        const count = typos.get(key) ?? { tried: 0, accepted: 0 };
        count.tried += 1;
        if (found.match && found.type === number.type) count.accepted += 1;
        typos.set(key, count);
      }
    }
  }
  assert.ok(typos.size > 150);
  for (const [key, { tried, accepted }] of typos) {
    const share = accepted / tried;
    if (key.endsWith(": checked")) assert.ok(share <= TYPOS_ACCEPTED_MAX, `${key}: ${share} of mistyped ones fit`);
    else assert.ok(share > TYPOS_ACCEPTED_MIN, `${key}: only ${share} of mistyped ones fit`);
  }
});

test("zeros alone are not a number in any country", async () => {
  for (const { country, kind } of rows) {
    for (let length = 3; length <= 20; length += 1) {
      assert.equal((await ask(country, kind, "0".repeat(length))).match, false, `${country} ${kind}, ${length} zeros`);
    }
    for (const shape of SHAPES[`${country} ${kind}`] ?? []) {
      if (country === "HK" || country === "GB") continue;
      const zeros = shape.replaceAll(/[#0-9]/g, "0");
      for (const letter of shape.includes("@") ? LETTERS : " ") {
        const number = zeros.replaceAll("@", letter);
        assert.equal((await ask(country, kind, number)).match, false, `${country} ${kind} ${number}`);
      }
    }
  }
});

function chosen(shape: string, any: (below: number) => number): string {
  return shape.replaceAll(/[#@]/g, (place) => (place === "#" ? String(any(10)) : LETTERS[any(26)]!));
}

async function rightNumber(country: string, kind: string, shape: string, any: (below: number) => number) {
  const attempts = shape.includes("@") ? 3000 : 300;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const typed = chosen(shape, any);
    const found = await ask(country, kind, typed);
    if (found.reason === "unknown_format") return null;
    if (found.match) return { typed, compact: found.number, type: found.type, checked: found.checked };
  }
  return null;
}

function withOneOtherDigit(number: string): readonly string[] {
  return [...number].flatMap((digit, place) =>
    !/\d/.test(digit)
      ? []
      : [..."0123456789"]
          .filter((other) => other !== digit)
          .map((other) => number.slice(0, place) + other + number.slice(place + 1)),
  );
}
