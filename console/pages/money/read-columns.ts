interface CsvHead {
  /** The headings of the columns. */
  readonly columns: readonly string[];
  readonly delimiter: string;
  /** The cells of the first line, one for each column. */
  readonly first: readonly string[];
}

const HEAD_CHARACTERS_MAX = 65_536;

/** Reads the headings of a CSV file, so that a person can choose their meaning. The service parses the file itself. */
export function readColumns(text: string): CsvHead {
  const start = text.replace(/^\ufeff/, "").slice(0, HEAD_CHARACTERS_MAX);
  const told = /^sep=([,;\t])(\r\n|\r|\n|$)/.exec(start);
  const head = told === null ? start : start.slice(told[0].length);
  const delimiter = told?.[1] ?? delimiterOf(head);
  const rows: string[][] = [[]];
  let [cell, isQuoted] = ["", false];
  const endCell = (): void => {
    rows.at(-1)!.push(cell.trim());
    cell = "";
  };
  for (let at = 0; at < head.length; at += 1) {
    const char = head[at]!;
    if (char === '"') {
      if (isQuoted && head[at + 1] === '"') cell += head[(at += 1)];
      else isQuoted = !isQuoted;
    } else if (isQuoted) cell += char;
    else if (char === delimiter) endCell();
    else if (char !== "\n" && char !== "\r") cell += char;
    else if (cell !== "" || rows.at(-1)!.length > 0) {
      endCell();
      if (rows.length === 2) break;
      rows.push([]);
    }
  }
  if (cell !== "" || rows.at(-1)!.length > 0) endCell();
  const [names = [], first = []] = rows;
  const named = names.flatMap((name, at) => (name === "" ? [] : [{ name, cell: first[at] ?? "" }]));
  return { columns: named.map(({ name }) => name), delimiter, first: named.map((column) => column.cell) };
}

function delimiterOf(text: string): string {
  const [line = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Guesses the meaning of columns from English or German headings, or from transaction ids in the first line. Each
 * meaning is used at most once.
 */
export function guessMeanings({ columns, first }: CsvHead): Readonly<Partial<Record<Meaning, string>>> {
  const ours = columns.find((_, at) => /^trx_[0-9a-z]/.test(first[at] ?? ""));
  const taken = new Set<string>(ours === undefined ? [] : [ours]);
  const guessed: Partial<Record<Meaning, string>> = ours === undefined ? {} : { transaction: ours };
  for (const [meaning, pattern] of MEANINGS) {
    const column = columns.find((name) => !taken.has(name) && pattern.test(name));
    if (column === undefined || guessed[meaning] !== undefined) continue;
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
