export interface CsvHead {
  /** The headings of its columns. */
  readonly columns: readonly string[];
  readonly delimiter: string;
}

const HEAD_CHARACTERS_MAX = 65_536;

/** The headings of a CSV file, so that a person can say what they mean. The service reads the file itself. */
export function readColumns(text: string): CsvHead {
  const start = text.replace(/^\ufeff/, "").slice(0, HEAD_CHARACTERS_MAX);
  const told = /^sep=([,;\t])(\r\n|\r|\n|$)/.exec(start);
  const head = told === null ? start : start.slice(told[0].length);
  const delimiter = told?.[1] ?? delimiterOf(head);
  const columns: string[] = [];
  let [cell, isQuoted] = ["", false];
  for (let at = 0; at < head.length; at += 1) {
    const char = head[at]!;
    if (char === '"') {
      if (isQuoted && head[at + 1] === '"') cell += head[(at += 1)];
      else isQuoted = !isQuoted;
    } else if (!isQuoted && char === delimiter) {
      columns.push(cell.trim());
      cell = "";
    } else if (!isQuoted && (char === "\n" || char === "\r")) break;
    else cell += char;
  }
  return { columns: [...columns, cell.trim()].filter((name) => name !== ""), delimiter };
}

function delimiterOf(text: string): string {
  const [line = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** What a column probably means, by its heading in English or German; each meaning at most once. */
export function guessMeanings(columns: readonly string[]): Readonly<Partial<Record<Meaning, string>>> {
  const taken = new Set<string>();
  const guessed: Partial<Record<Meaning, string>> = {};
  for (const [meaning, pattern] of MEANINGS) {
    const column = columns.find((name) => !taken.has(name) && pattern.test(name));
    if (column === undefined) continue;
    taken.add(column);
    guessed[meaning] = column;
  }
  return guessed;
}

export type Meaning = "transaction" | "order" | "day" | "amount" | "currency" | "quantity";

const MEANINGS: readonly (readonly [Meaning, RegExp])[] = [
  ["transaction", /transaction|trx/i],
  ["order", /order|reference|auftrag|bestell|referenz/i],
  ["day", /date|day|datum|tag$/i],
  ["currency", /currency|währung|^cur/i],
  ["quantity", /quantity|qty|count|menge|anzahl/i],
  ["amount", /net|amount|price|betrag|preis|summe/i],
];
