/** Settings of earlier versions, and what a deployment that still has one should do. */
export const REMOVED: ReadonlyMap<string, string> = new Map([
  [
    "limits.function_processes_apart",
    "each organization's functions run in a process of their own; limits.function_processes is the number of these",
  ],
  [
    "limits.function_runs_per_process",
    "it follows from the memory of a process; limits.function_processes is the number of these",
  ],
]);
