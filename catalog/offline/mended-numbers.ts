import type { Validator } from "stdnum";

type Verdict = ReturnType<Validator["validate"]>;
type Refusal = "InvalidLength" | "InvalidFormat" | "InvalidComponent" | "InvalidChecksum";

/** The rules of one country, by the library's names. */
export type Rules = Readonly<Record<string, Validator>>;

/** Checks the library's result for a number against what the number's issuer says. */
type Mend = (text: string, found: Verdict, rules: Rules) => Verdict;

/**
 * Where an issuer's document could not be opened, another implementation of the rule is cited. "python-stdnum" is
 * https://github.com/arthurdejong/python-stdnum, as of its commits 152d4c5 and 5d4ad17.
 */
const MENDS: Readonly<Record<string, Mend>> = {
  /**
   * Legal persons have nine digits. Ten digits are the number of a citizen, a foreigner, or a third group whose check
   * the library has inverted. Algorithm: European Commission, "VIES VAT number: structures and check digits", BG, which
   * is not available in public; as implemented in python-stdnum (stdnum/bg/vat.py).
   */
  "BG.vat": (text, found, rules) => {
    const number = rules["vat"]!.compact(text);
    if (!/^\d{10}$/.test(number)) return found;
    for (const sort of ["egn", "pnf"]) {
      const person = rules[sort]!.validate(number);
      if (person.isValid) return person;
    }
    const check = 11 - (weightedSum(number, [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
    const isRight = check !== 10 && check % 11 === Number(number[9]);
    return isRight ? accepted(number) : refused("InvalidChecksum");
  },

  /**
   * The Receita Federal does not issue a CPF that repeats one digit eleven times, although its check digits are right.
   */
  "BR.cpf": (_text, found) =>
    found.isValid && /^(\d)\1{10}$/.test(found.compact) ? refused("InvalidComponent") : found,

  /**
   * Among the first ten digits, exactly one occurs twice or three times, and no other more than once (BZSt, structure
   * of the IdNr); as stated in https://derbwler.de/2018/08/steueridentifikationsnummer-aufbau/ and python-stdnum
   * (stdnum/de/idnr.py).
   */
  "DE.idnr": (_text, found) => {
    if (!found.isValid) return found;
    const counts = countsOf(found.compact.slice(0, 10)).filter((count) => count > 1);
    return counts.length === 1 && counts[0]! <= 3 ? found : refused("InvalidComponent");
  },

  /**
   * The check digit of a tax office's number differs between the states, so eleven digits without slashes are read as
   * an IdNr, which has a check digit of its own: a mistyped IdNr must not pass as a tax number. With slashes it is
   * clearly a tax number. The library also requires the repeated digits of an IdNr, which a tax number need not have.
   * Lengths and forms: python-stdnum (stdnum/de/stnr.py).
   */
  "DE.stnr": (text, found, rules) => {
    const number = rules["stnr"]!.compact(text);
    if (number.length === 11 && !text.includes("/")) return refused("InvalidLength");
    return !found.isValid && found.error.name === "InvalidComponent" ? accepted(number) : found;
  },

  /**
   * Five characters are a government department (GD000 to GD499) or a health authority (HA500 to HA999). GD and three
   * digits: https://gov.uk/hmrc-internal-manuals/vat-government-and-public-bodies/vatgpb9400; the ranges: python-stdnum
   * (stdnum/gb/vat.py).
   */
  "GB.vat": (_text, found) =>
    found.isValid && found.compact.length === 5 && !/^(?:GD[0-4]|HA[5-9])\d\d$/.test(found.compact)
      ? refused("InvalidFormat")
      : found,

  /**
   * Sixteen digits since July 2024: the national number of a resident, or an older number with a 0 before it
   * (Regulation of the Minister of Finance 112/PMK.03/2022). A national number contains the birth date, with 40 added
   * to the day for women.
   */
  "ID.npwp": (text, found, rules) => {
    const number = rules["npwp"]!.compact(text);
    if (!/^\d{16}$/.test(number)) return found;
    if (number.startsWith("0")) {
      const older = rules["npwp"]!.validate(number.slice(1));
      return older.isValid ? { ...older, compact: number } : older;
    }
    const [written, month] = [Number(number.slice(6, 8)), Number(number.slice(8, 10))];
    const day = written > 40 ? written - 40 : written;
    const isDate = day >= 1 && day <= 31 && month >= 1 && month <= 12;
    return isDate ? accepted(number) : refused("InvalidComponent");
  },

  /** Numbers begin with 8 or 9 (Brønnøysund Register Centre, "Organisasjonsnummeret"). */
  "NO.orgnr": (_text, found) => (found.isValid && !/^[89]/.test(found.compact) ? refused("InvalidComponent") : found),
  "NO.mva": (_text, found) => (found.isValid && !/^[89]/.test(found.compact) ? refused("InvalidComponent") : found),
};

/** Types with letters before the serial number, in which a number of zeros only may be valid. */
const ZEROS_MEAN_SOMETHING: ReadonlySet<string> = new Set(["GB.nino", "GB.vat", "HK.hkid", "IN.epic"]);

/**
 * A rule of the library with its known errors corrected. Zeros alone satisfy most check digits, but in forms they mean
 * "none", so no rule accepts them.
 */
export function mended(country: string, type: string, rules: Rules): Validator {
  const rule = rules[type]!;
  const name = `${country}.${type}`;
  const mend = Object.hasOwn(MENDS, name) ? MENDS[name] : undefined;
  return {
    ...rule,
    compact: (text) => rule.compact(text),
    format: (text) => (hasNoGroups(name, rule.compact(text)) ? rule.compact(text) : rule.format(text)),
    validate(text) {
      const found = mend === undefined ? rule.validate(text) : mend(text, rule.validate(text), rules);
      const isNothing = found.isValid && /^[^1-9]*0[^1-9]*$/.test(found.compact);
      const meansSomething = ZEROS_MEAN_SOMETHING.has(name) && found.isValid && /^[A-Z]/.test(found.compact);
      return isNothing && !meansSomething ? refused("InvalidComponent") : found;
    },
  };
}

/** Forms of a number that the library would format like another form. */
function hasNoGroups(name: string, compact: string): boolean {
  return (name === "GB.vat" && compact.length === 5) || (name === "ID.npwp" && compact.length === 16);
}

/**
 * Numbers without a check digit, in general or for these lengths: their rules check length, characters and perhaps a
 * date, so a mistyped digit mostly gives another valid number.
 */
const WITHOUT_CHECK_DIGITS: Readonly<Record<string, "all" | readonly number[]>> = {
  "AD.nrt": "all",
  "AL.nipt": "all",
  "AO.bi": "all",
  "AO.nif": "all",
  "AR.dni": "all",
  "AT.businessid": "all",
  "AZ.pin": "all",
  "AZ.tin": "all",
  "BO.ci": "all",
  "CR.cpf": "all",
  "CR.cpj": "all",
  "CR.cr": "all",
  "CU.ni": "all",
  "CZ.dic": [9],
  "CZ.rc": [9],
  "DE.stnr": "all",
  "DK.cpr": "all",
  "DZ.nif": "all",
  "EG.tn": "all",
  "FO.vn": "all",
  "GB.nino": "all",
  "GB.vat": [5],
  "IN.pan": "all",
  "IS.vsk": "all",
  "KE.pin": "all",
  "LI.peid": "all",
  "MX.rfc": [9, 10],
  "MY.nric": "all",
  "MZ.bi": "all",
  "PE.ce": "all",
  "PE.cui": [8],
  "PK.cnic": "all",
  "PK.ntn": "all",
  "PY.cedula": "all",
  "RO.onrc": "all",
  "SK.rc": [9],
  "SM.coe": "all",
  "TN.mf": "all",
  "US.ein": "all",
  "US.ssn": "all",
  "ZA.vat": "all",
};

/** Whether a digit of this number is checked against the others, so that most typing errors are noticed. */
export function hasCheckDigits(country: string, type: string, compact: string): boolean {
  // Of Indonesian numbers with sixteen digits, only the older ones, with a 0 before them, have a check digit.
  if (country === "ID" && type === "npwp" && compact.length === 16) return compact.startsWith("0");
  const without = WITHOUT_CHECK_DIGITS[`${country}.${type}`];
  return without !== "all" && without?.includes(compact.length) !== true;
}

function accepted(compact: string): Verdict {
  return { isValid: true, compact, isIndividual: false, isCompany: false };
}

function refused(name: Refusal): Verdict {
  return { isValid: false, error: Object.assign(new Error(name), { name }) };
}

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
}

function countsOf(digits: string): readonly number[] {
  const counts = new Map<string, number>();
  for (const digit of digits) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  return [...counts.values()];
}
