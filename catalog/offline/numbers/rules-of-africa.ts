import { complement, luhn, remainder, valueOf, weighted } from "./check-digits.ts";
import { isPastDay } from "./dates.ts";
import { withoutSeparators, type NumberRules } from "./number-rule.ts";

export const RULES_OF_AFRICA: NumberRules = {
  // Individuals have the number of their identity card.
  "AO.nif": {
    form: /^(?:\d{10}|\d{9}[A-Z]{2}\d{3})$/,
    holder: (n) => (n.length === 14 ? "individual" : n.startsWith("5") ? "business" : null),
  },
  "AO.bi": { form: /^\d{9}[A-Z]{2}\d{3}$/ },
  "DZ.nif": { form: /^(?:\d{15}|\d{20})$/ },
  "EG.tn": { form: /^\d{9}$/ },
  // Citizens have the number of their identity card, whose check digit's rule is not published.
  "GH.tin": {
    form: /^(?:[PCGQV]00\d{7}[\dX]|GHA\d{10})$/,
    check: (n) => {
      if (n.startsWith("GHA")) return null;
      const rest = weighted(n.slice(1, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11;
      return n[10] === (rest === 10 ? "X" : String(rest));
    },
    holder: (n) => (/^(?:P|GHA)/.test(n) ? "individual" : "business"),
    ungrouped: /^GHA/,
  },
  "GN.nifp": { form: /^\d{9}$/, check: luhn },
  "KE.pin": { form: /^[AP]\d{9}[A-Z]$/, holder: (n) => (n.startsWith("A") ? "individual" : "business") },
  "MA.ice": { form: /^\d{15}$/, check: (n) => remainder(n, 97) === 0 },
  // First letter of the surname, birth date, serial number.
  "MU.nid": {
    form: /^[A-Z]\d{12}[\dA-G]$/,
    parts: (n, today) => isPastDay(n.slice(1, 7), "DMY", today),
    check: (n) => {
      const sum = weighted(n.slice(0, 13), [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
      return valueOf(n[13]!) === complement(sum, 17);
    },
  },
  // A check digit that would be 10 is written 1.
  "MZ.nuit": {
    form: /^\d{9}$/,
    check: (n) => n[8] === "01234567891"[weighted(n.slice(0, 8), [8, 9, 4, 5, 6, 7, 8, 9]) % 11],
  },
  "MZ.bi": { form: /^\d{12}[A-Z]$/ },
  // Seven digits and a letter, perhaps followed by codes for VAT and category and by the establishment, which is 000
  // unless the category is E. How the first letter is found is not published.
  "TN.mf": {
    form: /^\d{7}[A-HJ-NP-TV-Z](?:[ABDNP][CEMNP]\d{3})?$/,
    possible: /^(?:.{8}|.{10}000|.{9}E...)$/,
    compact: (text) => withoutSeparators(text).replace(/^\d{1,6}(?=[A-Z])/, (digits) => digits.padStart(7, "0")),
  },
  "ZA.vat": { form: /^\d{10}$/, possible: /^4/ },
  "ZA.tin": { form: /^\d{10}$/, possible: /^[01239]/, check: luhn },
  // The eleventh digit is 0 for citizens, 1 for permanent residents and 2 for refugees.
  "ZA.idnr": {
    form: /^\d{13}$/,
    possible: /^\d{10}[012]/,
    parts: (n, today) => isPastDay(n.slice(0, 6), "YMD", today),
    check: luhn,
  },
};
