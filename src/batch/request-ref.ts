/** The id of a request: the batch, the row, and when it was made, so that a later run knows when its answer is due. */
export function makeRef(batch: string, row: number, wallAt: number): string {
  return `${batch}-${row}-${wallAt.toString(36)}`;
}

/** When a request was made; `null` if the id is of another kind. */
export function timeOfRef(ref: string): number | null {
  const time = Number.parseInt(/-\d+-([0-9a-z]{8,9})$/.exec(ref)?.[1] ?? "", 36);
  return Number.isNaN(time) ? null : time;
}
