/** Tells readers of the shared ledger that it lacks runs which are still in this machine's journal. */
export function undrainedText(runs: number): string {
  const which = runs === 1 ? "1 run of this machine has" : `${runs} runs of this machine have`;
  return `${which} not reached the shared database yet and cannot be seen here.`;
}
