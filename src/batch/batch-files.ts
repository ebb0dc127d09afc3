/** The files of a batch, all beside its output. Only their owner can read them. */
export interface BatchFiles {
  readonly out: string;
  /** The records as JSON Lines: the output itself, or a file beside a CSV or Parquet file. */
  readonly records: string;
  readonly state: string;
  /** The rows that were not answered, with reasons. */
  readonly failed: string;
  readonly lock: string;
  /** A copy of what came on standard input. */
  readonly input: string;
}

export function batchFiles(out: string): BatchFiles {
  return {
    out,
    records: /\.(jsonl|ndjson)$/i.test(out) ? out : `${out}.jsonl`,
    state: `${out}.state`,
    failed: `${out}.failed`,
    lock: `${out}.lock`,
    input: `${out}.input`,
  };
}
