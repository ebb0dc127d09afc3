import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { validateNumber } from "./validate-number.ts";

/**
 * Each line of the corpus is a rule, a shape, and the check characters that a second implementation accepts for the first,
 * second, … number of that shape (`-`: none). Without check characters, every number of the shape is right and has none.
 * In a shape, `#` is a digit, `@` a letter, `[ABC]` one of these, `<dmy>` a date, and `?` a check character. The numbers are
 * made here, the same in every run: the first `#`, `@` or `[…]` takes each of its characters in turn, the others are random.
 * So there is every leading character and, in a hundred numbers, every remainder of the check digit.
 */
interface Row {
  readonly rule: string;
  readonly shape: string;
  readonly checks: readonly string[] | null;
}

const TODAY = "2026-11-27";
const NUMBERS_WITHOUT_CHECK = 40;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

const rows: readonly Row[] = readFileSync(new URL("corpus.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [rule, shape, checks] = line.split("\t") as [string, string, string?];
    return { rule, shape, checks: checks === undefined ? null : checks.split(checks.includes(" ") ? " " : "") };
  });

test("no right number of a second implementation is refused, and no wrong one accepted", () => {
  const mistakes: string[] = [];
  for (const { rule, shape, checks } of rows) {
    const candidates = checks === null ? [""] : checkCharacters(checks, shape.split("?").length - 1);
    numbersOf(rule, shape, checks?.length ?? NUMBERS_WITHOUT_CHECK).forEach((body, at) => {
      const right = checks === null ? [""] : checks[at]!.split("/");
      for (const check of candidates) {
        const number = withCheck(body, check);
        if (/^0+$/.test(number)) continue;
        const verdict = verdictOn(rule, number);
        const isAccepted = !("refusal" in verdict);
        if (isAccepted !== right.includes(check)) mistakes.push(`${rule} ${number}: ${JSON.stringify(verdict)}`);
        else if (isAccepted && verdict.hasCheckDigits !== (checks !== null))
          mistakes.push(`${rule} ${number}: checked?`);
      }
    });
  }
  assert.deepEqual(mistakes.slice(0, 20), []);
});

test("the corpus covers every rule, and every digit that a check digit can be", () => {
  const found = new Map<string, Set<string>>();
  for (const { rule, checks } of rows) {
    const all = found.get(rule) ?? new Set();
    for (const check of checks ?? []) for (const one of check.split("/")) all.add(one);
    found.set(rule, all);
  }
  assert.ok(found.size >= 179);
  for (const [rule, checks] of found) {
    const digits = [...checks].filter((check) => /^\d$/.test(check)).length;
    if (digits > 0) assert.ok(digits >= (WITHOUT_ONE_DIGIT.has(rule) ? 9 : 10), `${rule}: ${[...checks].join("")}`);
  }
});

const WITHOUT_ONE_DIGIT: ReadonlySet<string> = new Set(["DO.rnc", "GB.utr", "JP.cn"]);

/** The digits that numbers begin with, and the shape of the rest. */
const LEADING_DIGITS: Readonly<Record<string, readonly [allowed: string, rest: string]>> = {
  "BE.vat": ["01", "#######??"],
  "CA.sin": ["12345679", "#######?"],
  "DE.vat": ["123456789", "#######?"],
  "DK.cvr": ["123456789", "######?"],
  "EE.ik": ["12345678", "<ymd>###?"],
  "EE.registrikood": ["1789", "######?"],
  "IL.hp": ["5", "#######?"],
  "IN.aadhaar": ["23456789", "##########?"],
  "MT.vat": ["123456789", "#####??"],
  "NO.mva": ["89", "#######?MVA"],
  "NO.orgnr": ["89", "#######?"],
  "PT.nif": ["123456789", "#######?"],
  "RO.cui": ["123456789", "######?"],
  "SI.ddv": ["123456789", "######?"],
  "TR.tckimlik": ["123456789", "########??"],
  "ZA.tin": ["01239", "########?"],
  "ZA.vat": ["4", "########?"],
};

test("no check digit makes a number of leading digits that are not given out", () => {
  for (const [rule, [allowed, rest]] of Object.entries(LEADING_DIGITS)) {
    for (const lead of DIGITS) {
      const checks = checkCharacters(["0"], rest.split("?").length - 1);
      const numbers = numbersOf(rule, lead + rest, 10).flatMap((body) => checks.map((check) => withCheck(body, check)));
      // The birth dates of the last century are not over in the next.
      if (rule === "EE.ik" && lead > "4" && lead < "9") continue;
      const verdicts = numbers.map((number) => verdictOn(rule, number));
      assert.equal(
        verdicts.some((verdict) => !("refusal" in verdict)),
        allowed.includes(lead),
        `${rule} from ${lead}`,
      );
      if (!allowed.includes(lead))
        assert.ok(verdicts.some((verdict) => "refusal" in verdict && verdict.refusal === "component"));
    }
  }
});

/** Right numbers of which the second implementation knows nothing. */
const MORE_RIGHT_NUMBERS: readonly string[] = [
  "AL.nipt J91402501L",
  "AU.tfn 37118629",
  "CH.uid 100.155.212",
  "CH.vat CHE-100.155.212",
  "CZ.dic CZ612345670",
  "DE.stnr 181/815/08155",
  "EG.tn ٣٣١-١٠٥-٢٦٨",
  "GB.vat XI151308443",
  "IN.gstin 29AAACA1234C1CN",
  "IN.gstin 38AAACA1234C1ZD",
  "SE.personnummer 19880320-0016",
  "SE.personnummer 198803200016",
  "SG.uen T20VC0001L",
  "TN.mf 121J",
];

test("numbers of forms that are rare or new are accepted", () => {
  for (const line of MORE_RIGHT_NUMBERS) {
    const [rule, number] = line.split(" ") as [string, string];
    assert.ok("compact" in verdictOn(rule, number), `${line}: ${JSON.stringify(verdictOn(rule, number))}`);
  }
});

/** What cannot be a number, and why. */
const IMPOSSIBLE_NUMBERS: Readonly<Record<string, string>> = {
  "AD.nrt L-059888-N": "component",
  "AD.nrt F-700001-A": "component",
  "AT.vnr 1237 320180": "component",
  "BE.vat 0000000097": "component",
  "BG.vat 1000000000": "checksum",
  "CN.uscc 01110000600037341L": "component",
  "EC.ruc 1772060346001": "component",
  "EC.ruc 1790000000000": "component",
  "EC.ruc 2599999999001": "component",
  "FI.hetu 310252-308T": "component",
  "GB.nino GB123456A": "component",
  "GB.vat GD500": "component",
  "ID.npwp 3174019901900001": "component",
  "IS.kennitala 120174-3393": "component",
  "IT.iva 00000000018": "component",
  "KR.rrn 8501017123456": "component",
  "LT.pvm LT12345678901": "unknown_format",
  "LV.pvn 311375-19997": "component",
  "MX.rfc PAF071313GI1": "component",
  "NL.btw 004495445B00": "component",
  "PE.ruc 30512333797": "component",
  "RO.cnp 1630615993454": "component",
  "RO.onrc J2027000750528": "component",
  "RO.onrc J60/750/2012": "component",
  "SK.dph SK2010012345": "component",
  "TW.natid A300000000": "component",
  "US.ein 07-1144442": "component",
  "US.ssn 123-45-0000": "component",
  "UY.rut 001100000013": "component",
};

test("what cannot be a number is refused for the part that cannot exist", () => {
  for (const [line, refusal] of Object.entries(IMPOSSIBLE_NUMBERS)) {
    const at = line.indexOf(" ");
    assert.deepEqual(verdictOn(line.slice(0, at), line.slice(at + 1)), { refusal }, line);
  }
});

test("a form that no rule knows is called unknown, never wrong", () => {
  for (const rule of new Set(rows.map((row) => row.rule))) {
    for (const text of ["?", "NO SUCH FORM", "1234567890123456789012345"]) {
      assert.deepEqual(verdictOn(rule, text), { refusal: "unknown_format" }, `${rule} ${text}`);
    }
  }
});

function verdictOn(rule: string, number: string) {
  const [country, type] = rule.split(".") as [string, string];
  return validateNumber(country, type, number, TODAY);
}

/** The same numbers in every run and in every language: a linear congruential generator with a seed for each shape. */
function numbersOf(rule: string, shape: string, count: number): readonly string[] {
  let state = [...(rule + shape)].reduce((sum, character) => sum + character.codePointAt(0)!, 0);
  const any = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, (_, at) => {
    let isFirst = true;
    return shape.replaceAll(/<(\w+)>|\[([^\]]+)\]|[#@]/g, (token, date?: string, listed?: string) => {
      if (date !== undefined) return dateOf(date, 60 + any(40), 1 + any(12), 1 + any(28));
      const choices = listed ?? (token === "#" ? DIGITS : LETTERS);
      const choice = isFirst ? at % choices.length : any(choices.length);
      isFirst = false;
      return choices[choice]!;
    });
  });
}

function dateOf(order: string, year: number, month: number, day: number): string {
  const [y, m, d] = [year, month, day].map((part) => String(part).padStart(2, "0")) as [string, string, string];
  return { ymd: y + m + d, dmy: d + m + y, yyyymmdd: `19${y}${m}${d}`, dmyyy: `${d}${m}9${y}` }[order]!;
}

function withCheck(body: string, check: string): string {
  let at = 0;
  return body.replaceAll("?", () => check[at++]!);
}

/** Every check there can be of that many digits, and letters where the rule has them. */
function checkCharacters(checks: readonly string[], count: number): readonly string[] {
  const last = checks.some((check) => /[A-Z]/.test(check)) ? DIGITS + LETTERS : DIGITS;
  return Array.from({ length: count - 1 }).reduce<string[]>(
    (all) => all.flatMap((start) => [...last].map((character) => start + character)),
    [...last],
  );
}
