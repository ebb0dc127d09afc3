import { complement, endsWith, luhn, valueOf, verhoeff, weighted } from "./check-digits.ts";
import { isPast, isPastDay, partsOf } from "./dates.ts";
import { withoutSeparators, type NumberRules } from "./number-rule.ts";

const CHINESE_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY";
const CHINESE_WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const TAIWANESE_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO";
const SINGAPOREAN_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWX0123456789";

/** Letters have a number of two digits from 10 on; the tens count once and the ones nine times. */
function taiwaneseCheck(n: string): boolean {
  const issuer = TAIWANESE_LETTERS.indexOf(n[0]!) + 10;
  const second = /\d/.test(n[1]!) ? Number(n[1]) : TAIWANESE_LETTERS.indexOf(n[1]!);
  const sum = Math.floor(issuer / 10) + (issuer % 10) * 9 + second * 8;
  return (sum + weighted(n.slice(2), [7, 6, 5, 4, 3, 2, 1, 1])) % 10 === 0;
}

function thaiCheck(n: string): boolean {
  return endsWith(n, (11 - (weighted(n.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10);
}

/** An Indonesian resident's number: six digits for the place, the birth date with 40 added to women's days. */
function indonesianResident(n: string): boolean {
  const [day, month] = [Number(n.slice(6, 8)), Number(n.slice(8, 10))];
  return month >= 1 && month <= 12 && day % 40 >= 1 && day % 40 <= 31 && day <= 71;
}

export const RULES_OF_ASIA_AND_OCEANIA: NumberRules = {
  "AU.abn": {
    form: /^\d{11}$/,
    possible: /^(?:1[1-9]|[2-9])/,
    check: (n) => (weighted(n, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0,
  },
  "AU.acn": {
    form: /^\d{9}$/,
    check: (n) => endsWith(n, complement(weighted(n.slice(0, 8), [8, 7, 6, 5, 4, 3, 2, 1]), 10)),
  },
  // Older numbers of eight digits have weights of their own.
  "AU.tfn": {
    form: /^\d{8,9}$/,
    check: (n) => weighted(n, n.length === 8 ? [10, 7, 8, 4, 6, 3, 5, 1] : [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    ungrouped: /^\d{8}$/,
  },
  // The ninth digit is the check digit; the last is 1 for legal and 2 for natural persons.
  "AZ.tin": {
    form: /^\d{10}$/,
    possible: /[12]$/,
    check: (n) => endsWith(n.slice(0, 9), weighted(n, [4, 1, 8, 6, 2, 7, 5, 3]) % 11),
    holder: (n) => (n.endsWith("1") ? "business" : "individual"),
  },
  "AZ.pin": { form: /^[\dA-HJ-NP-Z]{7}$/, zeros: true },
  "CN.uscc": {
    form: /^[\dA-HJ-NP-RTUWXY]\d{7}[\dA-HJ-NP-RTUWXY]{10}$/,
    possible: /^[1-9ANY]/,
    check: (n) => {
      const sum = CHINESE_WEIGHTS.reduce((total, weight, at) => total + weight * CHINESE_ALPHABET.indexOf(n[at]!), 0);
      return n[17] === CHINESE_ALPHABET[complement(sum, 31)];
    },
  },
  // Region, birth date, serial number. Foreigners with permanent residence have a 9 and their country in place of a region.
  "CN.ric": {
    form: /^[1-9]\d{16}[\dX]$/,
    parts: (n, today) =>
      /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|9)/.test(n) &&
      isPast(Number(n.slice(6, 10)), Number(n.slice(10, 12)), Number(n.slice(12, 14)), today),
    check: (n) =>
      n[17] === "10X98765432"[weighted(n.slice(0, 17), [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11],
  },
  // One or two letters; a space counts 36 in place of the first.
  "HK.hkid": {
    form: /^[A-Z]{1,2}\d{6}[\dA]$/,
    check: (n) => {
      const body = n.slice(0, -1);
      const sum = (body.length === 7 ? 36 * 9 : 0) + weighted(body.padStart(8, "0"), [9, 8, 7, 6, 5, 4, 3, 2]);
      return valueOf(n.at(-1)!) === complement(sum, 11);
    },
    zeros: true,
  },
  // Sixteen digits since July 2024: a resident's national number, or an older number with a 0 before it (Regulation of the
  // Minister of Finance 112/PMK.03/2022).
  "ID.npwp": {
    form: /^\d{15,16}$/,
    parts: (n) => n.length === 15 || n.startsWith("0") || indonesianResident(n),
    check: (n) => (n.length === 15 ? luhn(n.slice(0, 9)) : n.startsWith("0") ? luhn(n.slice(1, 10)) : null),
    ungrouped: /^\d{16}$/,
  },
  "IL.hp": { form: /^\d{9}$/, possible: /^5/, check: luhn },
  // Zeros in front are often left out.
  "IL.idnr": {
    form: /^\d{9}$/,
    compact: (text) => withoutSeparators(text).replace(/^\d{5,8}$/, (digits) => digits.padStart(9, "0")),
    check: luhn,
  },
  // State, PAN, number of the registration, a letter for the kind of taxpayer, check character.
  "IN.gstin": {
    form: /^\d\d[A-Z]{5}\d{4}[A-Z][1-9A-Z][CDZ][A-Z\d]$/,
    parts: (n) => /^(?:0[1-9]|[12]\d|3[0-8]|9[79])/.test(n) && indianHolder(n.slice(2)),
    check: (n) => {
      const sum = Array.from(n.slice(0, 14)).reduce((total, character, at) => {
        const product = valueOf(character) * (at % 2 === 1 ? 2 : 1);
        return total + Math.floor(product / 36) + (product % 36);
      }, 0);
      return valueOf(n[14]!) === complement(sum, 36);
    },
  },
  // How the last letter is found is not published.
  "IN.pan": { form: /^[A-Z]{5}\d{4}[A-Z]$/, parts: indianHolder },
  "IN.aadhaar": {
    form: /^\d{12}$/,
    possible: /^[2-9]/,
    parts: (n) => [...n].toReversed().join("") !== n,
    check: verhoeff,
  },
  "IN.epic": { form: /^[A-Z]{3}\d{7}$/, check: (n) => luhn(n.slice(3)), zeros: true },
  "JP.cn": {
    form: /^\d{13}$/,
    possible: /^[1-9]/,
    check: (n) => Number(n[0]) === 9 - (weighted(n.slice(1), [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]) % 9),
  },
  "KR.brn": {
    form: /^\d{10}$/,
    possible: /^(?:10[1-9]|1[1-9]|[2-9])/,
    parts: (n) => Number(n.slice(0, 3)) >= 101 && n.slice(3, 5) !== "00" && n.slice(5, 9) !== "0000",
    check: (n) =>
      endsWith(
        n,
        complement(weighted(n.slice(0, 9), [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((Number(n[8]) * 5) / 10), 10),
      ),
  },
  // The digit after the birth date gives century, sex and whether a foreigner. Numbers given out since October 2020 are
  // random after that digit: those of children born since then, and of any foreigner.
  "KR.rrn": {
    form: /^\d{13}$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "YMD");
      return (
        isPast(koreanCentury(n) + year, month, day, today) && (koreanCheck(n) === null || Number(n.slice(7, 9)) <= 96)
      );
    },
    check: koreanCheck,
  },
  // The National Registration Department has not assigned these birth places.
  "MY.nric": {
    form: /^\d{12}$/,
    parts: (n, today) =>
      isPastDay(n.slice(0, 6), "YMD", today) && !/^(?:00|1[7-9]|20|69|70|73|8[01]|9[4-7])/.test(n.slice(6)),
  },
  // Inland Revenue: numbers are from 10 to 150 million.
  "NZ.ird": {
    form: /^\d{8,9}$/,
    parts: (n) => Number(n) > 10_000_000 && Number(n) < 150_000_000,
    check: (n) => {
      const body = n.slice(0, -1).padStart(8, "0");
      const first = complement(weighted(body, [3, 2, 7, 6, 5, 4, 3, 2]), 11);
      return endsWith(n, first < 10 ? first : complement(weighted(body, [7, 4, 3, 2, 5, 2, 7, 6]), 11));
    },
    ungrouped: /^\d{9}$/,
  },
  // Seven characters, and perhaps a check digit whose rule is not published.
  "PK.ntn": { form: /^[A-Z\d]\d{6}\d?$/, ungrouped: /^(?:.{8}|[A-Z].*)$/ },
  "PK.cnic": { form: /^\d{13}$/, possible: /^[1-8]\d{11}[1-9]$/ },
  // Businesses, companies with the year they were registered in, and other entities. New kinds of entity are added, so
  // their two letters are not compared with a list.
  "SG.uen": {
    form: /^(?:\d{8}[A-Z]|\d{9}[A-Z]|[RST]\d\d[A-Z]{2}\d{4}[A-Z])$/,
    parts: (n, today) => {
      const year = Number(today.slice(0, 4));
      if (n.length === 9) return true;
      return /^\d/.test(n) ? Number(n.slice(0, 4)) <= year : !n.startsWith("T") || Number(n.slice(1, 3)) <= year % 100;
    },
    check: (n) => {
      if (n.length === 9) return n[8] === "XMKECAWLJDB"[weighted(n, [10, 4, 9, 3, 8, 2, 7, 1]) % 11];
      if (/^\d/.test(n)) return n[9] === "ZKCMDNERGWH"[weighted(n, [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11];
      const values = Array.from(n.slice(0, 9)).map((character) => SINGAPOREAN_ALPHABET.indexOf(character));
      const sum = [4, 3, 5, 3, 10, 2, 2, 5, 7].reduce((total, weight, at) => total + weight * values[at]!, 0);
      return !values.includes(-1) && n[9] === SINGAPOREAN_ALPHABET[(sum + 6) % 11];
    },
  },
  "TH.moa": { form: /^\d{13}$/, possible: /^0/, check: thaiCheck },
  "TH.idnr": { form: /^\d{13}$/, possible: /^[1-8]/, check: thaiCheck },
  "TH.tin": {
    form: /^\d{13}$/,
    possible: /^[0-8]/,
    check: thaiCheck,
    holder: (n) => (n.startsWith("0") ? "business" : "individual"),
  },
  // Since April 2023 the sum need only be a multiple of five. A 7 in the seventh place may count 1 or 0.
  "TW.ubn": {
    form: /^\d{8}$/,
    check: (n) => {
      const products = [1, 2, 1, 2, 1, 2, 4, 1].map((weight, at) => weight * Number(n[at]));
      const sum = products.reduce((total, product) => total + Math.floor(product / 10) + (product % 10), 0);
      return sum % 5 === 0 || (n[6] === "7" && (sum + 1) % 5 === 0);
    },
  },
  // The second character is the sex, for foreigners 8 or 9.
  "TW.natid": { form: /^[A-Z]\d{9}$/, possible: /^.[1289]/, check: taiwaneseCheck },
  "TW.ui": { form: /^[A-Z][A-D]\d{8}$/, check: taiwaneseCheck },
  // Ten digits, three more for a branch; individuals have the twelve digits of their identity card since July 2025.
  "VN.mst": {
    form: /^(?:\d{10}|\d{12}|\d{13})$/,
    parts: (n) => (n.length === 12 ? /^0\d\d/.test(n) : n.slice(2, 9) !== "0000000" && n.slice(10) !== "000"),
    check: (n) =>
      n.length === 12 ? null : Number(n[9]) === 10 - (weighted(n.slice(0, 9), [31, 29, 23, 19, 17, 13, 7, 5, 3]) % 11),
    ungrouped: /^\d{12}$/,
  },
};

/** The fourth letter is the kind of holder. */
function indianHolder(pan: string): boolean {
  return /^...[ABCEFGHJKLPT].\d{4}/.test(pan) && pan.slice(5, 9) !== "0000";
}

function koreanCentury(n: string): number {
  return /[1256]/.test(n[6]!) ? 1900 : /[3478]/.test(n[6]!) ? 2000 : 1800;
}

function koreanCheck(n: string): boolean | null {
  const isForeigner = /[5-8]/.test(n[6]!);
  if (isForeigner || (/[34]/.test(n[6]!) && n.slice(0, 6) >= "201005")) return null;
  return endsWith(n, (11 - (weighted(n.slice(0, 12), [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10);
}
