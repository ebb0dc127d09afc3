/** So many are named. */
const NAMED_MAX = 20;
/** Longer than an id with nothing else, so that a text without ends of lines is not kept. */
const LINE_MAX = 4_096;

/** What an export says of runs whose records are damaged: it has a line for each, with its id and nothing else. */
export interface DamagedRuns {
  readonly count: number;
  /** Their ids or, where one cannot be read, what is known of it; not all, if there are many. */
  readonly named: readonly string[];
}

/** Reads an export as it passes by, because browsers cannot read the remarks that come after it. */
export interface DamagedLines {
  take(piece: Uint8Array): void;
  found(): DamagedRuns;
}

const OF_FORMAT: Readonly<Record<"csv" | "jsonl", (line: string) => string | undefined>> = {
  csv: ofCsv,
  jsonl: ofJson,
};

export function damagedLines(format: "csv" | "jsonl"): DamagedLines {
  const runOf = OF_FORMAT[format];
  const decoder = new TextDecoder();
  const named: string[] = [];
  let count = 0;
  /** The beginning of a line whose end has not come; `null` if it is longer than what is looked for. */
  let record: string | null = "";
  let isQuoted = false;

  function add(text: string): void {
    record = record === null || record.length + text.length > LINE_MAX ? null : record + text;
    if (format === "csv" && hasOddQuotes(text)) isQuoted = !isQuoted;
  }
  function end(): void {
    const run = record === null ? undefined : runOf(record);
    record = "";
    if (run === undefined) return;
    count += 1;
    if (named.length < NAMED_MAX) named.push(run);
  }
  return {
    take(piece) {
      const text = decoder.decode(piece, { stream: true });
      let from = 0;
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
        add(text.slice(from, at));
        // Between quotes it belongs to the text of a cell.
        if (isQuoted) add("\n");
        else end();
        from = at + 1;
      }
      add(text.slice(from));
    },
    found: () => ({ count, named }),
  };
}

function hasOddQuotes(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

function ofCsv(record: string): string | undefined {
  const [, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",]+)),+damaged,*\r?$/.exec(record) ?? [];
  return quoted?.replaceAll('""', '"') ?? plain;
}

function ofJson(line: string): string | undefined {
  if (!line.startsWith('{"run":{"transaction_id":') || !line.endsWith('"state":"damaged"}}')) return undefined;
  return (JSON.parse(line) as { readonly run: { readonly transaction_id: string } }).run.transaction_id;
}
