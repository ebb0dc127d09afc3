import {
  complement,
  digitSum,
  endsWith,
  luhn,
  luhnSum,
  mod11And10,
  remainder,
  valueOf,
  weighted,
} from "./check-digits.ts";
import { isDayOfMonth, isPast, isPastDay, partsOf } from "./dates.ts";
import { withoutSeparators, type NumberRule, type NumberRules } from "./number-rule.ts";

const DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
const IRISH_LETTERS = "WABCDEFGHIJKLMNOPQRSTUV";

/** Unique master citizen number of the states of former Yugoslavia: day, month, last three digits of the year. */
export const CITIZEN_OF_FORMER_YUGOSLAVIA: NumberRule = {
  form: /^\d{13}$/,
  parts: (n, today) => {
    const year = Number(n.slice(4, 7));
    return isPast(year < 800 ? 2000 + year : 1000 + year, Number(n.slice(2, 4)), Number(n.slice(0, 2)), today);
  },
  check: (n) => endsWith(n, complement(weighted(n, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), 11) % 10),
  holder: () => "individual",
};

/** Estonian and Lithuanian check digit: other weights if the first give 10, and 0 if both do. */
function balticCheck(n: string): boolean {
  const body = n.slice(0, -1);
  const first = weighted(body, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2]) % 11;
  return endsWith(n, (first < 10 ? first : weighted(body, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]) % 11) % 10);
}

/** Sex and century, then the birth date. */
function balticDate(n: string, today: string): boolean {
  const [year, month, day] = partsOf(n.slice(1, 7), "YMD");
  return isPast(1800 + 100 * Math.floor((Number(n[0]) - 1) / 2) + year, month, day, today);
}

/**
 * Czech and Slovak birth number; nine digits, without a check digit, for births before 1954. Since 1985 no numbers with a
 * remainder of 10 should be given out, but some were, so they have the check digit 0 as before.
 */
const BIRTH_NUMBER: NumberRule = {
  form: /^\d{9,10}$/,
  parts: (n, today) => {
    const [year, written, day] = partsOf(n.slice(0, 6), "YMD");
    // Women have 50 added to the month, and 20 is added on days whose serial numbers are used up.
    const month = (written % 50) % 20;
    if (n.length === 9)
      return (year < 54 || year >= 80) && isPast(year < 54 ? 1900 + year : 1800 + year, month, day, today);
    return isPast(year < 54 ? 2000 + year : 1900 + year, month, day, today);
  },
  check: (n) => (n.length === 9 ? null : endsWith(n, (Number(n.slice(0, 9)) % 11) % 10)),
};

function czechCompanyCheck(n: string): boolean {
  return endsWith(n, (complement(weighted(n.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]), 11) || 1) % 10);
}

/** Check digits of a Belgian personal number; from 2000 on, a 2 stands before the nine digits when they are computed. */
function belgianCheck(n: string, today: string): boolean {
  const check = Number(n.slice(9));
  if (97 - (Number(n.slice(0, 9)) % 97) === check) return true;
  return 2000 + Number(n.slice(0, 2)) <= Number(today.slice(0, 4)) && 97 - (Number(`2${n.slice(0, 9)}`) % 97) === check;
}

const BULGARIAN_CITIZEN: NumberRule = {
  form: /^\d{10}$/,
  parts: (n, today) => {
    const [year, written, day] = partsOf(n.slice(0, 6), "YMD");
    const [century, month] =
      written > 40 ? [2000, written - 40] : written > 20 ? [1800, written - 20] : [1900, written];
    return isPast(century + year, month, day, today);
  },
  check: (n) => endsWith(n, (weighted(n.slice(0, 9), [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10),
};

const bulgarianForeigner = (n: string) => endsWith(n, weighted(n.slice(0, 9), [21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10);

/** A person's number, or that of a foreigner or of a third group, whose check digit is never 10. */
function bulgarianPersonCheck(n: string, today: string): boolean {
  if (BULGARIAN_CITIZEN.parts!(n, today) && BULGARIAN_CITIZEN.check!(n, today)) return true;
  return bulgarianForeigner(n) || endsWith(n, complement(weighted(n.slice(0, 9), [4, 3, 2, 7, 6, 5, 4, 3, 2]), 11));
}

function dniCheck(n: string): boolean {
  // K, L and M stand for nothing in the check; X, Y and Z for 0, 1 and 2.
  const digits = n
    .slice(0, 8)
    .replace(/[KLM]/, "")
    .replace(/[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return n[8] === DNI_LETTERS[Number(digits) % 23];
}

/** A digit or a letter: the sources disagree about which kinds of entity have which. */
function cifCheck(n: string): boolean {
  const check = complement(luhnSum(`${n.slice(1, 8)}0`), 10);
  return n[8] === String(check) || n[8] === "JABCDEFGHI"[check];
}

function irishCheck(n: string, suffix: string): boolean {
  const sum = weighted(n.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + 9 * Math.max(0, IRISH_LETTERS.indexOf(suffix || "W"));
  return n[7] === IRISH_LETTERS[sum % 23];
}

const SIREN = /^\d{9}$/;

export function frenchVatCheck(n: string): boolean {
  const siren = Number(n.slice(2));
  // Numbers of Monaco begin with 000 and hold no SIREN.
  if (!n.startsWith("000", 2) && !luhn(n.slice(2))) return false;
  if (/^\d\d/.test(n)) return (12 + 3 * (siren % 97)) % 97 === Number(n.slice(0, 2));
  const alphabet = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
  const [first, second] = [alphabet.indexOf(n[0]!), alphabet.indexOf(n[1]!)];
  const key = first < 10 ? first * 24 + second - 10 : first * 34 + second - 100;
  return (siren + 1 + Math.floor(key / 11)) % 11 === key % 11;
}

const FRENCH_VAT = /^[\dA-HJ-NP-Z]{2}\d{9}$/;

const ITALIAN_ODD = "1 0 5 7 9 13 15 17 19 21 1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23"
  .split(" ")
  .map(Number);

function italianPersonCheck(n: string): boolean {
  const sum = Array.from(n.slice(0, 15)).reduce((total, character, at) => {
    const value = valueOf(character);
    return total + (at % 2 === 0 ? ITALIAN_ODD[value]! : value > 9 ? value - 10 : value);
  }, 0);
  return valueOf(n[15]!) - 10 === sum % 26;
}

/** Seven digits for the holder, then three for the office: a province, or one of a few others. */
function italianOffice(n: string): boolean {
  const office = Number(n.slice(7, 10));
  if (n.startsWith("0000000")) return false;
  return (office >= 1 && office <= 100) || [120, 121, 888, 999].includes(office);
}

/** Men's days are 1 to 31, women's 41 to 71. Digits may be replaced by letters if two persons would have the same code. */
function italianBirth(n: string): boolean {
  const day = Number(n.slice(9, 11).replaceAll(/[LMNPQRSTUV]/g, (letter) => String("LMNPQRSTUV".indexOf(letter)))) % 40;
  return day >= 1 && day <= 31;
}

const ROMANIAN_COUNTY = (county: number) => (county >= 1 && county <= 40) || county === 51 || county === 52;

function romanianCompanyCheck(n: string): boolean {
  return endsWith(n, ((10 * weighted(n.slice(0, -1).padStart(9, "0"), [7, 5, 3, 2, 1, 7, 5, 3, 2])) % 11) % 10);
}

const ROMANIAN_CITIZEN: NumberRule = {
  form: /^\d{13}$/,
  possible: /^[1-9]/,
  parts: (n, today) => {
    const [year, month, day] = partsOf(n.slice(1, 7), "YMD");
    const county = Number(n.slice(7, 9));
    const isPlace = (county >= 1 && county <= 48) || [51, 52, 70, 80, 81, 82, 83].includes(county);
    // 7, 8 and 9 are foreigners born in any century.
    const century = [1900, 1800, 2000][Math.floor((Number(n[0]) - 1) / 2)];
    if (century === undefined) return isPlace && isPastDay(n.slice(1, 7), "YMD", today);
    return isPlace && isPast(century + year, month, day, today);
  },
  check: (n) => endsWith(n, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1][weighted(n, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11]!),
};

/** A number of the form used until 2024 keeps its slashes, which separate county, serial number and year. */
function romanianRegister(text: string): string {
  return text
    .replaceAll(/[\s/\\\p{Pd}]+/gu, "/")
    .replace(/^([A-Z])\//, "$1")
    .replace(/^([A-Z])(\d)\//, "$10$2/")
    .replace(/\/\d\d\.\d\d\.(\d{4})$/, "/$1")
    .replace(/^([A-Z])\/?(\d{4})\/?(\d{6})\/?(\d{3})$/, "$1$2$3$4");
}

function romanianRegisterParts(n: string, today: string): boolean {
  if (n.includes("/")) {
    const [county, , year] = n.slice(1).split("/").map(Number) as [number, number, number];
    return ROMANIAN_COUNTY(county) && year >= 1990 && year <= 2024;
  }
  const [year, county] = [Number(n.slice(1, 5)), Number(n.slice(11, 13))];
  if (year < 1990 || year > Number(today.slice(0, 4))) return false;
  // New numbers have no county; older ones kept theirs when they were converted.
  return year < 2024 ? ROMANIAN_COUNTY(county) : county === 0 || (year === 2024 && ROMANIAN_COUNTY(county));
}

/** Ten digits with their sign; twelve digits are written the same way, with `+` from the year of the 100th birthday. */
function swedishPerson(text: string, today: string): string {
  const match = /^(\d\d)?(\d{6})([-+]?)(\d{4})$/.exec(text.replaceAll(/[\s:.]/g, "").replaceAll(/\p{Pd}/gu, "-"));
  if (match === null) return text;
  const [, century, day, sign, serial] = match;
  if (century === undefined) return `${day}${sign || "-"}${serial}`;
  const age = Number(today.slice(0, 4)) - Number(century + day!.slice(0, 2));
  return age >= 0 && age < 200 ? `${day}${age >= 100 ? "+" : "-"}${serial}` : text;
}

export const RULES_OF_THE_EUROPEAN_UNION: NumberRules = {
  "AT.uid": { form: /^U\d{8}$/, check: (n) => endsWith(n, complement(luhnSum(n.slice(1, 8)) + 4, 10)) },
  "AT.businessid": { form: /^\d{1,6}[A-Z]$/, compact: (text) => withoutSeparators(text).replace(/^FN/, "") },
  "AT.tin": { form: /^\d{9}$/, check: luhn },
  // Months 13 and later are used when a day's serial numbers are used up.
  "AT.vnr": {
    form: /^\d{10}$/,
    possible: /^[1-9]/,
    parts: (n) => isDayOfMonth(n.slice(4, 6)) && Number(n.slice(6, 8)) >= 1 && Number(n.slice(6, 8)) <= 16,
    check: (n) => weighted(n, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(n[3]),
  },
  "BE.vat": {
    form: /^\d{10}$/,
    possible: /^(?:0[1-9]|1)/,
    compact: (text) => withoutSeparators(text).replace(/^(BE)?(\d{9})$/, "0$2"),
    check: (n) => 97 - (Number(n.slice(0, 8)) % 97) === Number(n.slice(8)),
  },
  // Where a day's numbers are used up or the birthday is not known, month or day are zero or larger than any date's.
  "BE.nn": { form: /^\d{11}$/, parts: (n) => Number(n.slice(2, 4)) <= 12, check: belgianCheck },
  "BE.bis": {
    form: /^\d{11}$/,
    parts: (n) => Number(n.slice(2, 4)) >= 20 && Number(n.slice(2, 4)) % 20 <= 12 && Number(n.slice(2, 4)) <= 52,
    check: belgianCheck,
  },
  // Ten digits: European Commission, "VIES VAT number: structures and check digits", which is not public any more.
  "BG.vat": {
    form: /^\d{9,10}$/,
    check: (n, today) => {
      if (n.length === 10) return bulgarianPersonCheck(n, today);
      const first = weighted(n.slice(0, 8), [1, 2, 3, 4, 5, 6, 7, 8]) % 11;
      return endsWith(n, (first < 10 ? first : weighted(n.slice(0, 8), [3, 4, 5, 6, 7, 8, 9, 10]) % 11) % 10);
    },
    holder: (n) => (n.length === 9 ? "business" : "individual"),
  },
  "BG.egn": BULGARIAN_CITIZEN,
  "BG.pnf": { form: /^\d{10}$/, check: bulgarianForeigner },
  "CY.vat": {
    form: /^\d{8}[A-Z]$/,
    possible: /^(?!12)/,
    check: (n) => {
      const sum = Array.from(n.slice(0, 8)).reduce(
        (total, digit, at) => total + (at % 2 === 0 ? ITALIAN_ODD[Number(digit)]! : Number(digit)),
        0,
      );
      return valueOf(n[8]!) - 10 === sum % 26;
    },
  },
  // Nine digits from 6 are persons without a birth number.
  "CZ.dic": {
    form: /^\d{8,10}$/,
    possible: /^(?!9\d{7}$)/,
    parts: (n, today) => n.length === 8 || /^6\d{8}$/.test(n) || BIRTH_NUMBER.parts!(n, today),
    check: (n, today) => {
      if (n.length === 8) return czechCompanyCheck(n);
      if (!/^6\d{8}$/.test(n)) return BIRTH_NUMBER.check!(n, today);
      const sum = weighted(n.slice(1, 8), [8, 7, 6, 5, 4, 3, 2]) % 11;
      return endsWith(n, (18 - ((21 - sum) % 11)) % 10);
    },
  },
  "CZ.ico": { form: /^\d{8}$/, check: czechCompanyCheck },
  "CZ.rc": BIRTH_NUMBER,
  "DE.vat": { form: /^\d{9}$/, possible: /^[1-9]/, check: mod11And10 },
  // Among the first ten digits, exactly one occurs twice or three times, and no other more than once (BZSt).
  "DE.idnr": {
    form: /^\d{11}$/,
    possible: /^[1-9]/,
    parts: (n) => {
      const counts = [..."0123456789"].map((digit) => n.slice(0, 10).split(digit).length - 1);
      const repeated = counts.filter((count) => count > 1);
      return repeated.length === 1 && repeated[0]! <= 3;
    },
    check: mod11And10,
  },
  // Each state has a check digit of its own, and ten or eleven digits do not show the state. Eleven digits begin with the
  // number of an office: up to 289 in Bavaria, up to 359 in North Rhine-Westphalia, and 0, 1 or 2 elsewhere.
  "DE.stnr": {
    form: /^(?:\d{10}|(?:[0-2]\d|3[0-5])\d{9}|(?:10|11|2[1-46-8]|3[0-2]|4[01])\d\d0\d{8}|[59]\d{3}0\d{8})$/,
  },
  "DE.svnr": {
    form: /^\d{8}[A-Z]\d{3}$/,
    possible: /^\d{4}(?:0\d|1[012])/,
    check: (n) => {
      const letter = String(valueOf(n[8]!) - 9).padStart(2, "0");
      const digits = n.slice(0, 8) + letter + n.slice(9, 11);
      const products = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].map((weight, at) => weight * Number(digits[at]));
      return endsWith(n, products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0) % 10);
    },
  },
  "DK.cvr": { form: /^\d{8}$/, possible: /^[1-9]/, check: (n) => weighted(n, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 },
  // Numbers given out since 2007 have no check digit.
  "DK.cpr": {
    form: /^\d{10}$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "DMY");
      const seventh = Number(n[6]);
      const century =
        seventh >= 5 && seventh <= 8 && year >= 58
          ? 1800
          : seventh <= 3 || ((seventh === 4 || seventh === 9) && year >= 37)
            ? 1900
            : 2000;
      return isPast(century + year, month, day, today);
    },
  },
  "EE.kmkr": { form: /^\d{9}$/, check: (n) => weighted(n, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0 },
  "EE.registrikood": { form: /^\d{8}$/, possible: /^[1789]/, check: balticCheck },
  "EE.ik": { form: /^\d{11}$/, possible: /^[1-8]/, parts: balticDate, check: balticCheck },
  "ES.nif": {
    form: /^(?:[\dXYZKLM]\d{7}[A-Z]|[A-HJNP-SUVW]\d{7}[\dA-J])$/,
    check: (n) => (/^[\dXYZKLM]/.test(n) ? dniCheck(n) : cifCheck(n)),
    holder: (n) => (/^[\dXYZKLM]/.test(n) ? "individual" : "business"),
  },
  "ES.cif": { form: /^[A-HJNP-SUVW]\d{7}[\dA-J]$/, check: cifCheck },
  "ES.dni": { form: /^[\dKLM]\d{7}[A-Z]$/, check: dniCheck },
  "ES.nie": { form: /^[XYZ]\d{7}[A-Z]$/, check: dniCheck },
  // A serial number of fewer than eight digits is not padded when the check digits are computed.
  "ES.nss": {
    form: /^\d{12}$/,
    parts: (n) => (Number(n.slice(0, 2)) >= 1 && Number(n.slice(0, 2)) <= 53) || n.startsWith("66"),
    check: (n) => Number(n[2] === "0" ? n.slice(0, 2) + n.slice(3, 10) : n.slice(0, 10)) % 97 === Number(n.slice(10)),
  },
  "FI.alv": { form: /^\d{8}$/, check: (n) => weighted(n, [7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0 },
  "FI.ytunnus": { form: /^\d{8}$/, check: (n) => weighted(n, [7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0 },
  // 001 is not given out, and 900 to 999 are temporary.
  "FI.hetu": {
    form: /^\d{6}[-+YXWVUABCDEF]\d{3}[0-9A-FHJ-NPR-Y]$/,
    compact: (text) => text.replaceAll(/[\s.]/g, "").replaceAll(/\p{Pd}/gu, "-"),
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "DMY");
      const century = n[6] === "+" ? 1800 : /[A-F]/.test(n[6]!) ? 2000 : 1900;
      const serial = Number(n.slice(7, 10));
      return serial >= 2 && serial < 900 && isPast(century + year, month, day, today);
    },
    check: (n) => n[10] === "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(n.slice(0, 6) + n.slice(7, 10)) % 31],
  },
  "FR.tva": { form: FRENCH_VAT, check: frenchVatCheck },
  "FR.siren": { form: SIREN, check: luhn },
  // The digits of La Poste's establishments, except its seat, add up to a multiple of five.
  "FR.siret": {
    form: /^\d{14}$/,
    check: (n) => {
      if (!n.startsWith("356000000") || n === "35600000000048") return luhn(n.slice(0, 9)) && luhn(n);
      return digitSum(n) % 5 === 0;
    },
  },
  "FR.nif": {
    form: /^\d{13}$/,
    possible: /^[0-3]/,
    parts: (n) => Number(n.slice(0, 10)) > 0,
    check: (n) => Number(n.slice(0, 10)) % 511 === Number(n.slice(10)),
  },
  "FR.nir": {
    form: /^\d{5}(?:\d\d|2[AB])\d{8}$/,
    possible: /^[1-478]/,
    check: (n) => {
      const digits = n.slice(0, 13).replace("2A", "19").replace("2B", "18");
      return 97 - (Number(digits) % 97) === Number(n.slice(13));
    },
  },
  "GR.vat": {
    form: /^\d{9}$/,
    compact: (text) => withoutSeparators(text).replace(/^(?:EL|GR)?(\d{8})$/, "0$1"),
    check: (n) => endsWith(n, (weighted(n.slice(0, 8), [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10),
  },
  "GR.amka": { form: /^\d{11}$/, parts: (n, today) => isPastDay(n.slice(0, 6), "DMY", today), check: luhn },
  "HR.oib": { form: /^\d{11}$/, check: mod11And10 },
  "HU.anum": { form: /^\d{8}$/, check: (n) => weighted(n, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0 },
  // Seven digits, a check letter and perhaps one more letter; the older form has a letter or sign in the second place.
  "IE.vat": {
    form: /^(?:\d{7}[A-W]{1,2}|\d[A-Z+*]\d{5}[A-W])$/,
    compact: (text) => text.replaceAll(/[\s\p{Pd}.,/]/gu, ""),
    check: (n) => (/^\d{7}/.test(n) ? irishCheck(n, n.slice(8)) : irishCheck(`0${n.slice(2, 7)}${n[0]}${n[7]}`, "")),
  },
  // Of the second letters, only those given out since 2013 count in the check.
  "IE.pps": { form: /^\d{7}[A-W][ABHTWX]?$/, check: (n) => irishCheck(n, n.slice(8).replace(/[TWX]/, "")) },
  "IT.iva": { form: /^\d{11}$/, parts: italianOffice, check: luhn },
  // Eleven digits, as those of the VAT number, for everyone but natural persons.
  "IT.codicefiscale": {
    form: /^(?:\d{11}|[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPR-T][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z])$/,
    parts: (n) => (n.length === 11 ? italianOffice(n) : italianBirth(n)),
    check: (n) => (n.length === 11 ? luhn(n) : italianPersonCheck(n)),
    holder: (n) => (n.length === 11 ? "business" : "individual"),
    ungrouped: /^\d{11}$/,
  },
  "LT.pvm": { form: /^(?:\d{9}|\d{12})$/, possible: /1\d$/, check: balticCheck },
  // Numbers from 9 are those of foreigners without a birth date.
  "LT.asmens": {
    form: /^\d{11}$/,
    possible: /^[1-9]/,
    parts: (n, today) => n.startsWith("9") || balticDate(n, today),
    check: balticCheck,
  },
  "LU.tva": { form: /^\d{8}$/, check: (n) => Number(n.slice(0, 6)) % 89 === Number(n.slice(6)) },
  // Legal persons from 4; persons by birth date, and since 2017 from 32 to 39 without one.
  "LV.pvn": {
    form: /^\d{11}$/,
    parts: (n, today) => {
      if (/^(?:3[2-9]|[4-9])/.test(n)) return true;
      const [year, month, day] = partsOf(n.slice(0, 6), "DMY");
      return n[6]! <= "2" && isPast(1800 + 100 * Number(n[6]) + year, month, day, today);
    },
    check: (n) =>
      n[0]! > "3"
        ? weighted(n, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3
        : endsWith(n, ((1 + weighted(n.slice(0, 10), [10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11) % 10),
    holder: (n) => (n[0]! > "3" ? "business" : "individual"),
  },
  "MT.vat": {
    form: /^\d{8}$/,
    possible: /^[1-9]/,
    check: (n) => (weighted(n.slice(0, 6), [3, 4, 6, 7, 8, 9]) + Number(n.slice(6))) % 37 === 0,
  },
  // The number of a legal person, or since 2020 of a sole trader, whose check spans letters as well.
  "NL.btw": {
    form: /^\d{9}B\d\d$/,
    possible: /B(?!00)/,
    compact: (text) =>
      withoutSeparators(text).replace(
        /^(?:NL)?(\d+)(B\d\d)$/,
        (_, digits: string, end: string) => digits.padStart(9, "0") + end,
      ),
    check: (n) => dutchCheck(n.slice(0, 9)) || remainder(`NL${n}`, 97) === 1,
  },
  "NL.bsn": { form: /^\d{8,9}$/, check: (n) => dutchCheck(n.padStart(9, "0")) },
  "PL.nip": { form: /^\d{10}$/, check: (n) => endsWith(n, weighted(n.slice(0, 9), [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11) },
  "PL.regon": {
    form: /^(?:\d{9}|\d{14})$/,
    check: (n) =>
      endsWith(n.slice(0, 9), (weighted(n.slice(0, 8), [8, 9, 2, 3, 4, 5, 6, 7]) % 11) % 10) &&
      (n.length === 9 || endsWith(n, (weighted(n.slice(0, 13), [2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8]) % 11) % 10)),
  },
  // The century is added to the month: 80 for 18xx, 20 for 20xx.
  "PL.pesel": {
    form: /^\d{11}$/,
    parts: (n, today) => {
      const [year, written, day] = partsOf(n.slice(0, 6), "YMD");
      return isPast([1900, 2000, 2100, 2200, 1800][Math.floor(written / 20)]! + year, written % 20, day, today);
    },
    check: (n) => endsWith(n, complement(weighted(n.slice(0, 10), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]), 10)),
  },
  "PT.nif": { form: /^\d{9}$/, possible: /^[1-9]/, check: portugueseCheck },
  "PT.nipc": {
    form: /^\d{9}$/,
    possible: /^[1-9]/,
    check: portugueseCheck,
    holder: (n) => (/^[1-4]/.test(n) ? "individual" : "business"),
  },
  "PT.cc": { form: /^\d{9}[A-Z\d]{2}\d$/, check: luhn },
  "RO.cif": {
    form: /^(?:\d{2,10}|\d{13})$/,
    possible: /^[1-9]/,
    parts: (n, today) => n.length < 13 || ROMANIAN_CITIZEN.parts!(n, today),
    check: (n, today) => (n.length < 13 ? romanianCompanyCheck(n) : ROMANIAN_CITIZEN.check!(n, today)),
  },
  "RO.cui": { form: /^\d{2,10}$/, possible: /^[1-9]/, check: romanianCompanyCheck },
  // Since July 2024: letter, year, six digits, county and a check digit, for which letters count by their character code.
  "RO.onrc": {
    form: /^[JFC](?:\d{1,2}\/\d{1,5}\/\d{4}|\d{13})$/,
    compact: romanianRegister,
    parts: romanianRegisterParts,
    check: (n) => {
      if (n.includes("/")) return null;
      const letter = n.charCodeAt(0) % 10;
      return endsWith(n, (letter + digitSum(n.slice(1, -1))) % 10);
    },
    ungrouped: /^[A-Z]\d{13}$/,
  },
  "RO.cnp": ROMANIAN_CITIZEN,
  "SE.vat": { form: /^\d{12}$/, possible: /(?:0[1-9]|[1-8]\d|9[0-4])$/, check: (n) => luhn(n.slice(0, 10)) },
  "SE.orgnr": { form: /^\d{10}$/, check: luhn },
  // Coordination numbers have 60 added to the day.
  "SE.personnummer": {
    form: /^\d{6}[-+]\d{4}$/,
    compact: swedishPerson,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "YMD");
      const thisYear = Number(today.slice(0, 4));
      const latest = 100 * Math.floor(thisYear / 100) + year;
      const century = (latest > thisYear ? 100 : 0) + (n[6] === "+" ? 100 : 0);
      return isPast(latest - century, month, day > 60 ? day - 60 : day, today);
    },
    check: (n) => luhn(n.slice(0, 6) + n.slice(7)),
  },
  "SI.ddv": { form: /^\d{8}$/, possible: /^[1-9]/, check: (n) => sloveneCheck(n) },
  "SI.emso": CITIZEN_OF_FORMER_YUGOSLAVIA,
  // The third digit shows the kind of taxpayer.
  "SK.dph": { form: /^\d{10}$/, possible: /^[1-9]\d[2-47-9]/, check: (n) => Number(n) % 11 === 0 },
  "SK.rc": BIRTH_NUMBER,
};

function dutchCheck(n: string): boolean {
  return (weighted(n, [9, 8, 7, 6, 5, 4, 3, 2]) - Number(n[8])) % 11 === 0;
}

function portugueseCheck(n: string): boolean {
  return endsWith(n, complement(weighted(n.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]), 11) % 10);
}

/** A remainder of 0 is not given out, as it would need the check digit 11. */
function sloveneCheck(n: string): boolean {
  const check = 11 - (weighted(n.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) % 11);
  return check < 11 && endsWith(n, check % 10);
}
