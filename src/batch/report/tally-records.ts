import { isJsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { BatchRecord } from "../record.ts";
import { AgreementTally, type AgreementSpec, type CompareNames } from "./agreement.ts";
import { RowSet } from "./row-set.ts";
import { SourceTally } from "./tally-source.ts";

/** What a report is made of. */
export interface RecordsTally {
  readonly rows: RowSet;
  readonly sources: readonly SourceTally[];
  readonly agreements: readonly AgreementTally[];
}

/** The records of one output. */
export interface NamedRecords {
  readonly file: string;
  readonly records: AsyncIterable<readonly BatchRecord[]>;
}

/** A set of sources is a number of 32 bits (`waterfall.ts`). */
const SOURCES_MAX = 30;

/**
 * Counts the records of outputs of the same rows, each source once.
 * @throws OperatorError if a record has another form, or a source is in two outputs
 */
export async function tallyRecords(
  outputs: readonly NamedRecords[],
  specs: readonly AgreementSpec[],
  compareNames: CompareNames,
): Promise<RecordsTally> {
  const rows = new RowSet();
  const sources = new Map<string, { readonly tally: SourceTally; readonly file: string }>();
  const agreements = specs.map((spec) => new AgreementTally(spec, compareNames));
  const tallyOf = (id: string, isFunction: boolean, file: string): SourceTally => {
    const known = sources.get(id);
    if (known === undefined) {
      if (sources.size === SOURCES_MAX) throw refused(`There are more than ${SOURCES_MAX} sources.`);
      const tally = new SourceTally(id, isFunction);
      sources.set(id, { tally, file });
      return tally;
    }
    if (known.file !== file) throw refused(`${id} is in ${known.file} and in ${file}: a report has each source once.`);
    return known.tally;
  };
  for (const { file, records } of outputs)
    for await (const piece of records)
      for (const record of piece) {
        const { row } = record;
        rows.add(row);
        for (const [id, entry, isFunction] of entriesOf(record, file))
          if (!tallyOf(id, isFunction, file).add(row, entry))
            throw refused(`${id} has more than 64 prices in ${file}.`);
        for (const agreement of agreements) agreement.add(record);
      }
  for (const { spec } of agreements)
    for (const { source } of spec.values)
      if (sources.size > 0 && !sources.has(source))
        throw new OperatorError("usage", `--agree ${spec.field} names ${source}, which was not asked.`);
  return { rows, sources: [...sources.values()].map(({ tally }) => tally), agreements };
}

function entriesOf(record: BatchRecord, file: string) {
  const { row, sources, function: func } = record as unknown as Readonly<Record<string, unknown>>;
  const unreadable = () =>
    refused(`The record of row ${String(row)} in ${file} has a form that this version cannot read.`);
  if (isJsonObject(func) && typeof func["id"] === "string") return [[func["id"], func, true] as const];
  if (!isJsonObject(sources)) throw unreadable();
  return Object.entries(sources).map(([id, entry]) => {
    if (!isJsonObject(entry) || typeof entry["success"] !== "boolean") throw unreadable();
    return [id, entry, false] as const;
  });
}

function refused(message: string): OperatorError {
  return new OperatorError("refused", message);
}
