import type { Word } from "./fold-name.ts";

/**
 * Legal forms of companies by their usual abbreviation: our own table, from the company law of these countries, and not
 * complete. Words that are more often part of a name than a legal form are left out ("company", "group", "AS" outside
 * its countries).
 */
interface LegalForm {
  readonly form: string;
  readonly countries: readonly string[];
  /** In normalised form: lower case, no accents, no dots, single letters joined into one word, `and` for `&`. */
  readonly written: readonly string[];
}

const LEGAL_FORMS: readonly LegalForm[] = [
  {
    form: "GmbH",
    countries: ["AT", "CH", "DE", "LI"],
    written: ["gmbh", "gesellschaft mit beschrankter haftung", "ges mbh", "gesmbh", "mbh"],
  },
  { form: "gGmbH", countries: ["DE"], written: ["ggmbh"] },
  { form: "GmbH & Co. KG", countries: ["AT", "DE"], written: ["gmbh and co kg", "gmbh co kg", "gmbh und co kg"] },
  {
    form: "UG",
    countries: ["DE"],
    written: ["ug haftungsbeschrankt", "ug", "unternehmergesellschaft haftungsbeschrankt"],
  },
  { form: "AG", countries: ["AT", "CH", "DE", "LI"], written: ["ag", "aktiengesellschaft"] },
  { form: "AG & Co. KGaA", countries: ["DE"], written: ["ag and co kgaa", "se and co kgaa", "gmbh and co kgaa"] },
  { form: "KGaA", countries: ["DE"], written: ["kgaa", "kommanditgesellschaft auf aktien"] },
  { form: "KG", countries: ["AT", "CH", "DE"], written: ["kg", "kommanditgesellschaft"] },
  { form: "OHG", countries: ["DE"], written: ["ohg", "offene handelsgesellschaft"] },
  { form: "OG", countries: ["AT"], written: ["og"] },
  { form: "e.K.", countries: ["DE"], written: ["ek", "ekfr", "ekfm"] },
  { form: "eG", countries: ["DE"], written: ["eg", "eingetragene genossenschaft"] },
  { form: "e.V.", countries: ["DE"], written: ["ev", "eingetragener verein"] },
  { form: "SE", countries: ["EU"], written: ["se", "societas europaea"] },
  { form: "Ltd", countries: ["CY", "GB", "HK", "IE", "IN", "NG"], written: ["ltd", "limited"] },
  { form: "PLC", countries: ["GB", "IE"], written: ["plc", "public limited company"] },
  { form: "LLP", countries: ["GB", "US"], written: ["llp", "limited liability partnership"] },
  { form: "CIC", countries: ["GB"], written: ["cic", "community interest company"] },
  { form: "DAC", countries: ["IE"], written: ["dac", "designated activity company"] },
  { form: "Pty Ltd", countries: ["AU", "ZA"], written: ["pty ltd", "pty limited", "proprietary limited"] },
  { form: "Pvt Ltd", countries: ["IN", "PK"], written: ["pvt ltd", "private limited", "pvt limited", "private ltd"] },
  { form: "Pte Ltd", countries: ["SG"], written: ["pte ltd", "pte limited"] },
  { form: "Sdn Bhd", countries: ["MY"], written: ["sdn bhd", "sendirian berhad"] },
  { form: "Bhd", countries: ["MY"], written: ["bhd", "berhad"] },
  { form: "Inc.", countries: ["CA", "PH", "US"], written: ["inc", "incorporated"] },
  { form: "Corp.", countries: ["CA", "US"], written: ["corp", "corporation"] },
  { form: "LLC", countries: ["AE", "US"], written: ["llc", "limited liability company", "limited liability co"] },
  { form: "LP", countries: ["GB", "US"], written: ["lp", "limited partnership"] },
  {
    form: "SA",
    countries: ["AR", "BE", "CH", "ES", "FR", "GR", "LU", "MX", "PL", "PT"],
    written: ["sa", "societe anonyme", "sociedad anonima", "sociedade anonima"],
  },
  { form: "SA de CV", countries: ["MX"], written: ["sa de cv", "sociedad anonima de capital variable"] },
  { form: "S. de R.L. de C.V.", countries: ["MX"], written: ["s de rl de cv"] },
  { form: "SAS", countries: ["CO", "FR"], written: ["sas", "societe par actions simplifiee"] },
  { form: "SASU", countries: ["FR"], written: ["sasu"] },
  { form: "SARL", countries: ["CH", "FR", "LU", "MA"], written: ["sarl", "societe a responsabilite limitee"] },
  { form: "EURL", countries: ["FR"], written: ["eurl"] },
  { form: "SCI", countries: ["FR"], written: ["sci", "societe civile immobiliere"] },
  { form: "SNC", countries: ["FR", "IT"], written: ["snc", "societe en nom collectif", "societa in nome collettivo"] },
  {
    form: "SRL",
    countries: ["AR", "BE", "IT", "RO"],
    written: [
      "srl",
      "societa a responsabilita limitata",
      "societatea cu raspundere limitata",
      "societate cu raspundere limitata",
    ],
  },
  { form: "SpA", countries: ["CL", "IT"], written: ["spa", "societa per azioni"] },
  { form: "SL", countries: ["ES"], written: ["sl", "sociedad limitada"] },
  { form: "SLU", countries: ["ES"], written: ["slu"] },
  { form: "Lda", countries: ["AO", "MZ", "PT"], written: ["lda", "limitada"] },
  { form: "Ltda", countries: ["BR", "CL", "CO"], written: ["ltda"] },
  { form: "BV", countries: ["BE", "NL"], written: ["bv", "besloten vennootschap"] },
  { form: "NV", countries: ["BE", "NL"], written: ["nv", "naamloze vennootschap"] },
  { form: "VOF", countries: ["BE", "NL"], written: ["vof"] },
  { form: "AB", countries: ["FI", "SE"], written: ["ab", "aktiebolag", "aktiebolaget"] },
  { form: "AS", countries: ["CZ", "EE", "LV", "NO", "SK"], written: ["as", "aksjeselskap"] },
  { form: "ASA", countries: ["NO"], written: ["asa", "allmennaksjeselskap"] },
  { form: "A/S", countries: ["DK"], written: ["as", "aktieselskab"] },
  { form: "ApS", countries: ["DK"], written: ["aps", "anpartsselskab"] },
  { form: "Oy", countries: ["FI"], written: ["oy", "osakeyhtio"] },
  { form: "Oyj", countries: ["FI"], written: ["oyj"] },
  { form: "OÜ", countries: ["EE"], written: ["ou", "osauhing"] },
  { form: "SIA", countries: ["LV"], written: ["sia"] },
  { form: "UAB", countries: ["LT"], written: ["uab"] },
  { form: "Sp. z o.o.", countries: ["PL"], written: ["sp z oo", "sp zoo", "spolka z ograniczona odpowiedzialnoscia"] },
  { form: "s.r.o.", countries: ["CZ", "SK"], written: ["sro", "spol s ro", "spol sro"] },
  { form: "Kft.", countries: ["HU"], written: ["kft", "korlatolt felelossegu tarsasag"] },
  { form: "Zrt.", countries: ["HU"], written: ["zrt"] },
  { form: "d.o.o.", countries: ["BA", "HR", "ME", "RS", "SI"], written: ["doo"] },
  { form: "d.d.", countries: ["BA", "HR", "SI"], written: ["dd"] },
  { form: "EOOD", countries: ["BG"], written: ["eood"] },
  { form: "OOD", countries: ["BG"], written: ["ood"] },
  { form: "A.Ş.", countries: ["TR"], written: ["as", "anonim sirketi"] },
  { form: "Ltd. Şti.", countries: ["TR"], written: ["ltd sti", "limited sirketi"] },
  { form: "OOO", countries: ["BY", "RU"], written: ["ooo", "ооо", "общество с ограниченной ответственностью"] },
  {
    form: "JSC",
    countries: ["BY", "GE", "KZ", "RU", "UA", "UZ", "VN"],
    written: ["jsc", "joint stock company", "joint stock co", "ао", "акционерное общество"],
  },
  {
    form: "OJSC",
    countries: ["BY", "KG", "RU", "UA"],
    written: ["ojsc", "oao", "open joint stock company", "оао", "открытое акционерное общество"],
  },
  {
    form: "PJSC",
    countries: ["AE", "RU", "UA"],
    written: ["pjsc", "pao", "public joint stock company", "пао", "публичное акционерное общество"],
  },
  {
    form: "CJSC",
    countries: ["AM", "BY", "KG", "RU"],
    written: ["cjsc", "zao", "closed joint stock company", "зао", "закрытое акционерное общество"],
  },
  { form: "PT", countries: ["ID"], written: ["pt", "perseroan terbatas"] },
  { form: "K.K.", countries: ["JP"], written: ["kk", "kabushiki kaisha", "kabushiki gaisha"] },
  {
    form: "Co., Ltd.",
    countries: ["CN", "JP", "KR", "TH", "TW", "VN"],
    written: ["co ltd", "company limited", "co limited"],
  },
];

export interface NamedForm {
  readonly form: string;
  readonly countries: readonly string[];
}

/** One spelling may be a form in several countries (`AS`, `A/S`, `A.Ş.`); these are then named together. */
const FORM_OF_SPELLING = new Map<string, NamedForm>();
for (const { form, countries, written } of LEGAL_FORMS) {
  for (const spelling of written) {
    const known = FORM_OF_SPELLING.get(spelling);
    FORM_OF_SPELLING.set(
      spelling,
      known === undefined
        ? { form, countries }
        : { form: `${known.form} or ${form}`, countries: [...known.countries, ...countries].sort() },
    );
  }
}

const WORDS_MAX = 6;

/** Forms that are written before the name in their countries; others are part of the name there (*AS Roma*). */
const LEADING = new Set([
  "CJSC",
  "EURL",
  "JSC",
  "K.K.",
  "LLC",
  "OJSC",
  "OOO",
  "OÜ",
  "PJSC",
  "PT",
  "SARL",
  "SCI",
  "SIA",
  "SRL",
  "UAB",
]);

export interface CompanyName {
  readonly words: readonly Word[];
  readonly form: NamedForm | null;
}

/**
 * Separates the legal form from the end of a company's name, or from its start (`PT …`, `OOO …`); the longest that
 * fits.
 */
export function partCompanyName(words: readonly Word[]): CompanyName {
  const whole = joinLetters(words);
  for (let count = Math.min(WORDS_MAX, whole.length); count > 0; count -= 1) {
    // Before the end: `JSC Example Corp.` is a joint stock company whose name ends in `Corp.`.
    const atStart = formOf(whole.slice(0, count));
    if (atStart !== undefined && LEADING.has(atStart.form)) return { words: whole.slice(count), form: atStart };
    const atEnd = formOf(whole.slice(-count));
    if (atEnd !== undefined) return { words: whole.slice(0, -count), form: atEnd };
  }
  return { words: whole, form: null };
}

/** Joins single letters: `S. A.` and `G m b H` become one word each, and so does `J. P.` in a name. */
function joinLetters(words: readonly Word[]): readonly Word[] {
  const joined: Word[] = [];
  let afterLetter = false;
  for (const word of words) {
    const isLetter = /^\p{L}$/u.test(word.text);
    const before = joined.at(-1);
    if (isLetter && afterLetter && before !== undefined) {
      joined[joined.length - 1] = { text: before.text + word.text, spelled: before.spelled + word.spelled };
    } else joined.push(word);
    afterLetter = isLetter;
  }
  return joined;
}

function formOf(words: readonly Word[]): NamedForm | undefined {
  return FORM_OF_SPELLING.get(words.map((word) => word.text).join(" "));
}
