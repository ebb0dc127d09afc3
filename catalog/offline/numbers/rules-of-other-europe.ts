import { complement, digitSum, endsWith, mod11And10, weighted } from "./check-digits.ts";
import { isDayOfMonth, isPast, partsOf } from "./dates.ts";
import { withoutSeparators, type NumberRules } from "./number-rule.ts";
import { CITIZEN_OF_FORMER_YUGOSLAVIA, frenchVatCheck } from "./rules-of-the-european-union.ts";

export const RULES_OF_OTHER_EUROPE: NumberRules = {
  "AD.nrt": {
    form: /^[ACDEFGLOPU]\d{6}[A-Z]$/,
    parts: (n) => {
      const serial = Number(n.slice(1, 7));
      return n.startsWith("F") ? serial < 700_000 : !/^[AL]/.test(n) || (serial >= 700_000 && serial < 800_000);
    },
    holder: (n) => (/^[EF]/.test(n) ? "individual" : "business"),
  },
  // Decade, year, month with a code for the region or sex, day, serial number. How the last letter is found is not known.
  "AL.nipt": { form: /^[A-M]\d{8}[A-Z]$/, parts: (n) => Number(n.slice(2, 4)) > 0 && isDayOfMonth(n.slice(4, 6)) },
  "BA.jmbg": CITIZEN_OF_FORMER_YUGOSLAVIA,
  "BY.unp": {
    form: /^(?:\d\d|[A-Z]{2})\d{7}$/,
    possible: /^(?:[1-7]|[ABCEHKM][ABCEHKMOPT])/,
    compact: (text) =>
      withoutSeparators(text)
        .replace(/^(?:УНП|UNP)/, "")
        .replaceAll(/[АВСЕНКМОРТ]/g, (letter) => "ABCEHKMOPT"["АВСЕНКМОРТ".indexOf(letter)]!),
    check: (n) => {
      const text = n.replace(
        /^([A-Z])([A-Z])/,
        (_, first: string, second: string) => first + "ABCEHKMOPT".indexOf(second),
      );
      return endsWith(n, weighted(text.slice(0, 8), [29, 23, 19, 17, 13, 7, 5, 3]) % 11);
    },
  },
  "CH.vat": {
    form: /^CHE\d{9}(?:MWST|TVA|IVA|TPV)?$/,
    compact: swissCompany,
    check: (n) => swissCheck(n.slice(0, 12)),
    ungrouped: /^CHE\d{9}$/,
  },
  "CH.uid": { form: /^CHE\d{9}$/, compact: swissCompany, check: swissCheck },
  "CH.ssn": { form: /^756\d{10}$/, check: (n) => weighted(n, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0 },
  "FO.vn": { form: /^\d{6}$/ },
  // GD is a government department and HA a health authority; 8888 and check digits may stand around its number.
  "GB.vat": {
    form: /^(?:\d{9}|\d{12}|(?:GD|HA)(?:8888)?\d{3}|(?:GD|HA)8888\d{5})$/,
    parts: (n) => !/^[GH]/.test(n) || Number(n.replace("8888", "").slice(2, 5)) < 500 === n.startsWith("GD"),
    check: (n) => {
      if (n.length === 11) return Number(n.slice(6, 9)) % 97 === Number(n.slice(9));
      if (/^[GH]/.test(n)) return null;
      const rest = weighted(n.slice(0, 9), [8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97;
      // Numbers from 100 000 000 on may also be of the second series, which has 55 added.
      return rest === 0 || (n[0] !== "0" && (rest === 42 || rest === 55));
    },
    zeros: true,
    ungrouped: /^[GH]/,
  },
  "GB.utr": {
    form: /^\d{10}$/,
    check: (n) => n[0] === "21987654321"[weighted(n.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11],
  },
  // The last letter may be left out.
  "GB.nino": {
    form: /^[A-Z]{2}\d{6}[A-D]?$/,
    possible: /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]/,
    zeros: true,
  },
  "IS.vsk": { form: /^\d{5,6}$/ },
  // Organisations have 40 added to the day. The last digit is the century: 8, 9 or 0.
  "IS.kennitala": {
    form: /^[0-7]\d{9}$/,
    possible: /[089]$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "DMY");
      const century = n[9] === "0" ? 2000 : n[9] === "9" ? 1900 : 1800;
      return isPast(century + year, month, day > 40 ? day - 40 : day, today);
    },
    check: (n) => weighted(n, [3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    holder: (n) => (Number(n[0]) >= 4 ? "business" : "individual"),
  },
  "LI.peid": { form: /^\d{4,12}$/, compact: (text) => withoutSeparators(text).replace(/^0+/, "") },
  "MC.tva": {
    form: /^[\dA-HJ-NP-Z]{2}000\d{6}$/,
    compact: (text) => withoutSeparators(text).replace(/^FR(?=.{11}$)/, ""),
    check: frenchVatCheck,
  },
  "MD.idno": {
    form: /^\d{13}$/,
    check: (n) => endsWith(n, weighted(n.slice(0, 12), [7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1]) % 10),
  },
  "ME.pib": {
    form: /^\d{8}$/,
    check: (n) => endsWith(n, complement(weighted(n.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]), 11) % 10),
  },
  "ME.jmbg": CITIZEN_OF_FORMER_YUGOSLAVIA,
  "MK.jmbg": CITIZEN_OF_FORMER_YUGOSLAVIA,
  // Brønnøysund Register Centre, "Organisasjonsnummeret": numbers begin with 8 or 9.
  "NO.mva": {
    form: /^\d{9}(?:MVA)?$/,
    possible: /^[89]/,
    check: (n) => norwegianCheck(n.slice(0, 9)),
    ungrouped: /\d$/,
  },
  "NO.orgnr": { form: /^\d{9}$/, possible: /^[89]/, check: norwegianCheck },
  // 40 is added to the day for foreigners, and to the month for those who got their number in a hospital.
  "NO.fodselsnummer": {
    form: /^\d{11}$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "DMY");
      const serial = Number(n.slice(6, 9));
      const century =
        serial < 500 ? 1900 : serial < 750 && year > 54 ? 1800 : year < 40 ? 2000 : serial >= 900 ? 1900 : null;
      return (
        century !== null && isPast(century + year, month > 40 ? month - 40 : month, day > 40 ? day - 40 : day, today)
      );
    },
    check: (n) =>
      String(complement(weighted(n.slice(0, 9), [3, 7, 6, 1, 8, 9, 4, 5, 2]), 11)) === n[9] &&
      endsWith(n, complement(weighted(n.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), 11)),
  },
  "RS.pib": { form: /^\d{9}$/, check: mod11And10 },
  "RS.jmbg": CITIZEN_OF_FORMER_YUGOSLAVIA,
  "RU.inn": {
    form: /^(?:\d{10}|\d{12})$/,
    check: (n) => {
      if (n.length === 10) return endsWith(n, (weighted(n.slice(0, 9), [2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
      return (
        endsWith(n.slice(0, 11), (weighted(n.slice(0, 10), [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10) &&
        endsWith(n, (weighted(n.slice(0, 11), [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10)
      );
    },
    holder: (n) => (n.length === 10 ? "business" : "individual"),
  },
  "SM.coe": {
    form: /^[1-9]\d{0,4}$/,
    compact: (text) => withoutSeparators(text).replace(/^SM/, "").replace(/^0+/, ""),
  },
  "TR.vkn": {
    form: /^\d{10}$/,
    check: (n) => {
      const sum = Array.from(n.slice(0, 9)).reduce((total, digit, at) => {
        const value = (Number(digit) + 9 - at) % 10;
        return total + (value === 0 ? 0 : (value * 2 ** (9 - at)) % 9 || 9);
      }, 0);
      return endsWith(n, complement(sum, 10));
    },
  },
  "TR.tckimlik": {
    form: /^\d{11}$/,
    possible: /^[1-9]/,
    check: (n) =>
      Number(n[9]) === complement(weighted(n.slice(0, 9), [3, 1, 3, 1, 3, 1, 3, 1, 3]), 10) &&
      endsWith(n, digitSum(n.slice(0, 10)) % 10),
  },
  "UA.edrpou": {
    form: /^\d{8}$/,
    check: (n) => {
      const weights = /^[345]/.test(n) ? [7, 1, 2, 3, 4, 5, 6] : [1, 2, 3, 4, 5, 6, 7];
      const first = weighted(n.slice(0, 7), weights) % 11;
      return endsWith(
        n,
        (first < 10
          ? first
          : weighted(
              n.slice(0, 7),
              weights.map((weight) => weight + 2),
            ) % 11) % 10,
      );
    },
    holder: () => "business",
  },
  "UA.rntrc": {
    form: /^\d{10}$/,
    check: (n) => endsWith(n, (weighted(n.slice(0, 9), [10, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) % 10),
    holder: () => "individual",
  },
};

function swissCompany(text: string): string {
  return withoutSeparators(text).replace(/^(?:CHE?)?(?=\d{9}\D*$)/, "CHE");
}

function swissCheck(n: string): boolean {
  return endsWith(n, complement(weighted(n.slice(3, 11), [5, 4, 3, 2, 7, 6, 5, 4]), 11));
}

function norwegianCheck(n: string): boolean {
  return weighted(n, [3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;
}
