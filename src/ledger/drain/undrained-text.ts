/** For whoever reads the shared ledger while this machine's journal holds runs that it does not have yet. */
export function undrainedText(runs: number): string {
  const which = runs === 1 ? "1 run of this machine has" : `${runs} runs of this machine have`;
  return `${which} not reached the shared database yet and cannot be seen here.`;
}
