import { Type } from "../../../terms/schema/type.ts";
import { damagedLine, type ExportFormat, type LineFormat } from "../../../ledger/read/export-lines.ts";
import { damagedRow, EXPORT_COLUMNS } from "../../../ledger/read/export-table.ts";
import { type ExportPage, exportRuns } from "../../../ledger/read/export-runs.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import type { LedgerFilter } from "../../../ledger/read/ledger-filter.ts";
import { filterInputs, toFilter } from "../../ledger-inputs.ts";
import { toVersionFilter } from "../../recorded-versions.ts";
import type { VerbBasics } from "../../needs.ts";
import { defineStreamedVerb } from "../../verb.ts";

/** The most damaged runs that a remark names. */
const NAMED_MAX = 20;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv",
  jsonl: "application/jsonl",
  parquet: "application/vnd.apache.parquet",
};

export default defineStreamedVerb({
  summary: "Write runs to a file, oldest first",
  description:
    "The format csv has one request per line, with its call and run; parquet has the same columns, with times as timestamps and amounts as exact decimals; jsonl has one complete run per line. A run whose record is damaged has a line with its id and the state damaged, and nothing else; such runs are named, and the exit code is then 1.",
  example: "march.csv --from 2026-03-01 --to 2026-04-01",
  input: {
    format: Type.Optional(Type.Enum(["csv", "jsonl", "parquet"], { description: "csv by default" })),
    ...filterInputs,
  },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],
  interrupted: "The file is not complete: delete it, and give the same command again.",

  stream: {
    mediaTypes: Object.values(MEDIA_TYPES),
    async open({ format = "csv", ...filter }, { ledger, store, note, onProgress }) {
      const selected = { ...toFilter(filter), ...(await toVersionFilter(filter, store)) };
      const pieces = piecesOf(await ledger(), selected, format, note, onProgress);
      return { mediaType: MEDIA_TYPES[format], fileName: `ledger.${format}`, pieces };
    },
  },

  hasFailed: ({ damaged }) => damaged > 0,
});

async function* piecesOf(
  ledger: LedgerAnswers,
  filter: LedgerFilter,
  format: ExportFormat,
  note: VerbBasics["note"],
  onProgress: VerbBasics["onProgress"],
) {
  const named: string[] = [];
  let [runs, damaged] = [0, 0];
  const encoder = format === "parquet" ? await openEncoder() : createLines(format);
  try {
    for await (const page of exportRuns(ledger, filter, format)) {
      yield await encoder.add(page);
      runs += page.runs;
      damaged += page.damaged.length;
      named.push(...page.damaged.slice(0, NAMED_MAX - named.length));
      onProgress("runs written", runs);
    }
    yield await encoder.end();
  } finally {
    await encoder.close();
  }
  if (damaged > 0) note(damagedNote(damaged, named));
  return { format, damaged };
}

/** Makes the pieces of the file. */
interface ExportEncoder {
  add(page: ExportPage): Promise<string | Uint8Array>;
  end(): Promise<string | Uint8Array>;
  close(): Promise<void>;
}

function createLines(format: LineFormat): ExportEncoder {
  return {
    add: async ({ text, damaged }) => text + damaged.map((run) => damagedLine(run, format)).join(""),
    end: async () => "",
    close: async () => {},
  };
}

async function openEncoder(): Promise<ExportEncoder> {
  // Its code is large, and most exports are of another format.
  const { openParquetThread } = await import("../../../row-files/parquet-thread.ts");
  const thread = openParquetThread(EXPORT_COLUMNS);
  return {
    add: ({ rows, damaged }) => thread.add([...rows, ...damaged.map(damagedRow)]),
    end: () => thread.end(),
    close: () => thread.close(),
  };
}

function damagedNote(count: number, named: readonly string[]): string {
  const runs =
    count === 1
      ? "1 run is damaged: the export has only its id"
      : `${count} runs are damaged: the export has only their ids`;
  return `${runs}, ${named.join(", ")}${count > named.length ? ` and ${count - named.length} more` : ""}.`;
}
