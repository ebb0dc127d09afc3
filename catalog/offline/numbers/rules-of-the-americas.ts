import { complement, endsWith, luhn, valueOf, weighted } from "./check-digits.ts";
import { isPast, isPastDay, partsOf } from "./dates.ts";
import { withoutSeparators, type NumberRules } from "./number-rule.ts";

/** Numbers in the register of the tax office (DGII) that do not have the check digit of its own rule. */
const DOMINICAN_EXCEPTIONS: ReadonlySet<string> = new Set(
  (
    "101581601 101582245 101595422 101595785 131188691 401007374 501341601 501378067 501620371 501651319 501651823 " +
    "501651845 501651926 501656006 501658167 501670785 501676936 501680158 504654542 504680029 504681442 505038691"
  ).split(" "),
);

/** Sums of a Brazilian check digit: remainders 0 and 1 give 0. Letters count by their character code less 48. */
function brazilianDigit(text: string, weights: readonly number[]): string {
  const rest = weights.reduce((sum, weight, at) => sum + weight * (text.charCodeAt(at) - 48), 0) % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}

function brazilianCheck(n: string, weights: readonly number[]): boolean {
  return (
    n.at(-2) === brazilianDigit(n.slice(0, -2), weights.slice(1)) &&
    n.at(-1) === brazilianDigit(n.slice(0, -1), weights)
  );
}

/** The last weight is that of the last digit before the check digit. */
function risingWeights(length: number, from = 2): readonly number[] {
  return Array.from({ length }, (_, at) => from + length - 1 - at);
}

function chileanCheck(n: string): boolean {
  const body = n.slice(0, -1).padStart(8, "0");
  return n.at(-1) === "0123456789K"[complement(weighted(body, [3, 2, 7, 6, 5, 4, 3, 2]), 11)];
}

const CHILEAN = { form: /^\d{6,8}[\dK]$/, check: chileanCheck };

/** Provinces of Ecuador, and 30 for those registered abroad; 50 is in use as well. */
function ecuadorianProvince(n: string): boolean {
  const province = Number(n.slice(0, 2));
  return (province >= 1 && province <= 24) || province === 30 || province === 50;
}

const MEXICAN_STATES =
  /^(?:AS|BC|BS|CC|CH|CL|CM|CS|DF|DG|GR|GT|HG|JC|MC|MN|MS|NE|NL|NT|OC|PL|QR|QT|SL|SP|SR|TC|TL|TS|VZ|YN|ZS)$/;

/** Given out in advertisements, so nobody's any more. */
const VOID_SSN: ReadonlySet<string> = new Set(["078051120", "219099999", "457555462", "123123123"]);

export const RULES_OF_THE_AMERICAS: NumberRules = {
  // A check digit that would be 10 is written 9.
  "AR.cuit": {
    form: /^\d{11}$/,
    possible: /^(?:2[034567]|3[034]|5[015])/,
    check: (n) => n[10] === "09987654321"[weighted(n.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11],
    holder: (n) => (n.startsWith("2") ? "individual" : n.startsWith("3") ? "business" : null),
  },
  "AR.dni": { form: /^\d{7,8}$/ },
  // A complement of a digit and a letter may follow the number, and the department may be left out.
  "BO.ci": { form: /^\d{4,8}(?:\d[A-Z])?(?:(?:LP|OR|PT|CB|CH|TJ|SC|BE|PD)(?:\d[A-Z]|[A-Z\d])?)?$/ },
  "BR.cnpj": {
    form: /^[A-Z\d]{12}\d\d$/,
    check: (n) => brazilianCheck(n, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]),
    holder: () => "business",
    zeros: true,
  },
  // The Receita Federal does not issue a number that repeats one digit, although its check digits are right.
  "BR.cpf": {
    form: /^\d{11}$/,
    possible: /^(?!(\d)\1{10}$)/,
    check: (n) => brazilianCheck(n, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]),
    holder: () => "individual",
  },
  // Two letters name the programme of an account; new ones are added, so they are not compared with a list.
  "CA.bn": { form: /^\d{9}(?:[A-Z]{2}\d{4})?$/, check: (n) => luhn(n.slice(0, 9)) },
  "CA.gst": { form: /^\d{9}(?:RT\d{4})?$/, check: (n) => luhn(n.slice(0, 9)), ungrouped: /^\d{9}$/ },
  // Remainders 0 and 1 give the check digits 1 and 0.
  "CA.qst": {
    form: /^\d{10}(?:TQ\d{4})?$/,
    possible: /(?<!TQ0000)$/,
    check: (n) => Number(n[9]) === (11 - (weighted(n.slice(0, 9), [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 10,
    ungrouped: /^\d{10}$/,
  },
  // Numbers do not begin with 0 or 8.
  "CA.sin": { form: /^\d{9}$/, possible: /^[1-79]/, check: luhn },
  "CL.rut": CHILEAN,
  "CL.run": CHILEAN,
  "CO.nit": {
    form: /^\d{8,16}$/,
    check: (n) => {
      const reversed = Array.from(n.slice(0, -1)).toReversed().join("");
      const rest = weighted(reversed, [3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71]) % 11;
      return endsWith(n, rest < 2 ? rest : 11 - rest);
    },
  },
  // Class, then type. The register adds types to class 3, so only their range is checked.
  "CR.cpj": {
    form: /^\d{10}$/,
    possible: /^(?:2[1-4]00|3(?:00[2-9]|01[0-4]|1\d\d)|4000|5001)/,
    holder: () => "business",
  },
  // The first digit is zero and the second the province; zeros before each part are often left out.
  "CR.cpf": {
    form: /^\d{10}$/,
    possible: /^0[1-9]/,
    compact: (text) => {
      const [province, volume, entry, ...more] = text.trim().split(/\s*[\p{Pd}]\s*/u);
      const isWritten = entry !== undefined && more.length === 0;
      const joined = isWritten ? province + volume!.padStart(4, "0") + entry.padStart(4, "0") : text;
      return withoutSeparators(joined).replace(/^\d{9}$/, "0$&");
    },
    holder: () => "individual",
  },
  "CR.cr": { form: /^\d{11,12}$/, possible: /^1/ },
  // Year, month, day, then a digit for the century.
  "CU.ni": {
    form: /^\d{11}$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(0, 6), "YMD");
      return isPast((n[6] === "9" ? 1800 : n[6]! < "6" ? 1900 : 2000) + year, month, day, today);
    },
  },
  "DO.rnc": {
    form: /^\d{9}$/,
    check: (n) =>
      DOMINICAN_EXCEPTIONS.has(n) ||
      endsWith(n, ((10 - (weighted(n.slice(0, 8), [7, 9, 8, 6, 5, 4, 3, 2]) % 11)) % 9) + 1),
  },
  // The electoral board has given out many numbers whose last digit is not that of the algorithm of Luhn.
  "DO.cedula": { form: /^\d{11}$/ },
  // The third digit is 6 for public bodies and 9 for companies; neither has a check digit that the tax office promises.
  "EC.ruc": {
    form: /^\d{13}$/,
    parts: (n) => ecuadorianProvince(n) && /^[0-69]$/.test(n[2]!) && !(n[2] === "6" ? /0000$/ : /000$/).test(n),
    check: (n) => (n[2]! >= "6" ? null : luhn(n.slice(0, 10))),
    holder: (n) => (n[2]! >= "6" ? "business" : "individual"),
  },
  "EC.ci": { form: /^\d{10}$/, parts: (n) => ecuadorianProvince(n) && n[2]! <= "6", check: luhn },
  "GT.nit": {
    form: /^\d{1,11}[\dK]$/,
    check: (n) => n.at(-1) === "0123456789K"[complement(weighted(n.slice(0, -1), risingWeights(n.length - 1)), 11)],
  },
  // After the check digit, the department of birth and the municipality, of which some are new.
  "GT.cui": {
    form: /^\d{13}$/,
    parts: (n) => {
      const [department, municipality] = [Number(n.slice(9, 11)), Number(n.slice(11))];
      return department >= 1 && department <= 22 && municipality >= 1 && municipality <= 40;
    },
    check: (n) => Number(n[8]) === (weighted(n.slice(0, 8), [2, 3, 4, 5, 6, 7, 8, 9]) % 11) % 10,
  },
  // Three or four letters, a date, and three characters. About one registered number in 70 has another last character
  // than the tax office's rule gives.
  "MX.rfc": {
    form: /^[A-Z&Ñ]{3,4}\d{6}(?:[A-Z\d]{3})?$/,
    parts: (n, today) => {
      const letters = n.search(/\d/);
      return (letters === 4 || n.length === 12) && isPastDay(n.slice(letters, letters + 6), "YMD", today);
    },
    holder: (n) => (n.length === 12 ? "business" : "individual"),
  },
  // A digit before the check digit means a birth before 2000, a letter one from 2000 on.
  "MX.curp": {
    form: /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d$/,
    parts: (n, today) => {
      const [year, month, day] = partsOf(n.slice(4, 10), "YMD");
      return (
        MEXICAN_STATES.test(n.slice(11, 13)) && isPast((/\d/.test(n[16]!) ? 1900 : 2000) + year, month, day, today)
      );
    },
    check: (n) => {
      // Ñ stands between N and O and is written X, so letters from O on are worth one more.
      const values = Array.from(n.slice(0, 17)).map((character) => valueOf(character) + (character >= "O" ? 1 : 0));
      return endsWith(
        n,
        complement(
          values.reduce((sum, value, at) => sum + value * (18 - at), 0),
          10,
        ),
      );
    },
  },
  "PE.ruc": {
    form: /^\d{11}$/,
    possible: /^(?:1[0567]|20)/,
    check: (n) => endsWith(n, (11 - (weighted(n.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 10),
  },
  // The ninth character is a check digit in one of two series.
  "PE.cui": {
    form: /^\d{8}[\dA-K]?$/,
    check: (n) => {
      if (n.length === 8) return null;
      const rest = weighted(n.slice(0, 8), [3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return n[8] === "65432110987"[rest] || n[8] === "KJIHGFEDCBA"[rest];
    },
    ungrouped: /[A-K]$/,
  },
  "PE.ce": { form: /^\d{9}$/ },
  "PY.ruc": {
    form: /^\d{4,9}$/,
    check: (n) => endsWith(n, complement(weighted(n.slice(0, -1), risingWeights(n.length - 1)), 11) % 10),
    holder: (n) => (Number(n.slice(0, -1)) >= 80_000_000 ? "business" : "individual"),
  },
  "PY.cedula": { form: /^\d{5,7}$/ },
  // Four digits for the place, a date, a serial number. Serial numbers up to 100 have the check of older numbers. Since
  // December 2021 individuals have the nine digits of their identity card.
  "SV.nit": {
    form: /^(?:\d{14}|\d{9})$/,
    possible: /^(?:[019]|\d{9}$)/,
    check: (n) => {
      if (n.length === 9) return endsWith(n, complement(weighted(n.slice(0, 8), risingWeights(8)), 10));
      const isOld = Number(n.slice(10, 13)) <= 100;
      if (isOld) return endsWith(n, (weighted(n.slice(0, 13), risingWeights(13)) % 11) % 10);
      return endsWith(n, complement(weighted(n.slice(0, 13), [2, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]), 11) % 10);
    },
    ungrouped: /^\d{9}$/,
  },
  // The IRS has not assigned the other prefixes ("How EINs are assigned and valid EIN prefixes").
  "US.ein": { form: /^\d{9}$/, possible: /^(?!00|0[789]|1[789]|2[89]|49|69|70|7[89]|89|9[67])/ },
  "US.ssn": {
    form: /^\d{9}$/,
    parts: (n) => !/^(?:000|666|9|...00|.....0000)/.test(n) && !/^(\d)\1{8}$/.test(n) && !VOID_SSN.has(n),
  },
  // The first two digits count up as numbers are used.
  "UY.rut": {
    form: /^\d{12}$/,
    possible: /^(?:0[1-9]|[12]\d)(?!000000)\d{6}001/,
    check: (n) => endsWith(n, complement(weighted(n.slice(0, 11), [4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]), 11)),
  },
  "UY.cedula": {
    form: /^\d{7,8}$/,
    check: (n) => endsWith(n, complement(weighted(n.slice(0, -1).padStart(7, "0"), [2, 9, 8, 7, 6, 3, 4]), 10)),
    ungrouped: /^\d{7}$/,
  },
  // How the last digit is found is not published.
  "UY.nie": { form: /^\d{9}$/, possible: /^9/ },
  // V and E are persons, J companies, G the government, C communes, and P holders of a passport.
  "VE.rif": {
    form: /^[VEJPGC]\d{9}$/,
    check: (n) => {
      const letter = { V: 4, E: 8, J: 12, C: 12, P: 16, G: 20 }[n[0]!]!;
      const check = complement(letter + weighted(n.slice(1, 9), [3, 2, 7, 6, 5, 4, 3, 2]), 11);
      return endsWith(n, check % 10);
    },
    holder: (n) => (/^[VEP]/.test(n) ? "individual" : "business"),
  },
};
