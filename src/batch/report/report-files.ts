import { stat } from "node:fs/promises";
import { OperatorError } from "../../terms/operator-error.ts";
import { batchFiles } from "../batch-files.ts";
import { readRecords } from "../records-file.ts";
import { type BatchIdentity, readStateFile } from "../state-file.ts";
import { type CompareNames, readAgreement } from "./agreement.ts";
import { type BatchReport, makeReport } from "./make-report.ts";
import { tallyRecords } from "./tally-records.ts";

export interface ReportRequest {
  readonly outs: readonly string[];
  readonly agree: readonly string[];
  readonly coverage: number | undefined;
  /** Opens the catalog's comparison of names. Called only if `agree` needs it. */
  openNames(): Promise<CompareNames>;
}

/** Reads the outputs of batches over the same input, and compares their sources. @throws OperatorError */
export async function reportFiles({ outs, agree, coverage, openNames }: ReportRequest): Promise<BatchReport> {
  const specs = agree.map(readAgreement);
  const twice = outs.find((out, at) => outs.indexOf(out) !== at);
  if (twice !== undefined) throw new OperatorError("usage", `${twice} is given twice.`);
  const states = [];
  for (const out of outs) {
    const { records, state } = batchFiles(out);
    if (!(await isFile(records)))
      throw new OperatorError("not_found", `${out} is not the output of a batch: there is no file ${records}.`);
    states.push({ out, records, state: (await readStateFile(state))?.state ?? null });
  }
  refuseOtherInputs(states.flatMap(({ out, state }) => (state === null ? [] : [{ out, ...state.identity }])));
  const remarks = states.flatMap(({ out, state }) => {
    if (state === null)
      return outs.length > 1
        ? [`${out}.state is missing, so its rows are joined with the others by their numbers.`]
        : [];
    const { rows } = state.identity;
    const answered = state.count("done") + state.count("open");
    const rejected = state.count("rejected");
    const why = rejected === 0 ? "" : `, ${rejected} of the others ${rejected === 1 ? "was" : "were"} rejected`;
    return answered === rows
      ? []
      : [`${out} has answers for ${answered} of ${rows} rows${why}. The shares are of the rows that were answered.`];
  });
  const tally = await tallyRecords(
    states.map(({ out, records }) => ({ file: out, records: readRecords(records) })),
    specs,
    specs.some(({ comparison }) => comparison !== "text") ? await openNames() : () => null,
  );
  if (tally.rows.size === 0) throw new OperatorError("refused", `${outs.join(" and ")}: no row is answered yet.`);
  return makeReport(tally, { coverage, remarks });
}

function refuseOtherInputs(batches: readonly (BatchIdentity & { readonly out: string })[]): void {
  const [first, ...others] = batches;
  const other = others.find(({ sha256 }) => sha256 !== first?.sha256);
  if (other !== undefined)
    throw new OperatorError(
      "refused",
      `${first!.out} and ${other.out} are of different input files: report them one by one.`,
    );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
