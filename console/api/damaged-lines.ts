/** At most this many damaged runs are listed. */
const NAMED_MAX = 20;
/**
 * Characters kept of a line. It exceeds any line that has only an id, and bounds memory if a text has no line breaks.
 */
const LINE_MAX = 4_096;

/** The damaged runs in an export. An export has one line for each of them, which holds only the id. */
export interface DamagedRuns {
  readonly count: number;
  /** Their ids, or the readable part of an id. At most `NAMED_MAX`. */
  readonly named: readonly string[];
}

/** Finds damaged runs while an export is downloaded. Browsers cannot read HTTP trailers, which name them too. */
interface DamagedLines {
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
  /** The incomplete last line; `null` if it exceeds `LINE_MAX`. */
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
        // A line break within quotes belongs to the text of a cell.
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
