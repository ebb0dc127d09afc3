import { signal } from "@preact/signals";
import type { CallError } from "../../../api/send-request.ts";
import { callVerb } from "../../../api/call-verb.ts";
import { toCallError } from "../../../api/use-verb.ts";
import { warnBeforeLeaving } from "../../../parts/use-leave-warning.ts";
import { whenOtherUser } from "../../../session.ts";
import type { RunContext } from "../run-address.ts";
import type { Answer } from "../current-run.ts";

/** A row to run. */
interface RowToRun {
  readonly row: number;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface RowResult extends RowToRun {
  readonly state: "waiting" | "under way" | "answered" | "failed";
  readonly answer?: Answer;
  readonly error?: CallError;
}

/** The runs of the rows of a file. */
export interface FileRun {
  readonly id: symbol;
  readonly fileName: string;
  readonly workflow: string;
  readonly isSimulated: boolean;
  readonly context: RunContext;
  readonly sources: readonly string[];
  readonly results: readonly RowResult[];
  readonly state: "under way" | "stopping" | "ended";
  /** Why it has ended before its last row. */
  readonly stoppedBy?: CallError | "person";
}

/** Kept when the page is left, as the last run is. */
export const fileRun = signal<FileRun | undefined>(undefined);

whenOtherUser(() => {
  fileRun.value = undefined;
});

/** Few enough for the service's other operators. */
const AT_ONCE = 4;
/** After these failures every further row would fail too. */
const STOPPING: ReadonlySet<string> = new Set([
  "unauthenticated",
  "forbidden",
  "unavailable",
  "unreachable",
  "not_found",
]);

type ToStart = Pick<FileRun, "fileName" | "workflow" | "isSimulated" | "context" | "sources">;

/** Runs each row once, a few at a time, in order. Resolves when all have ended. */
export async function startFileRun(about: ToStart, rows: readonly RowToRun[]): Promise<void> {
  if ((fileRun.peek()?.state ?? "ended") !== "ended") return;
  const id = Symbol(about.fileName);
  const results: RowResult[] = rows.map((row) => ({ ...row, state: "waiting" }));
  fileRun.value = { ...about, id, results: [...results], state: "under way" };
  // After a login as another operator, nothing of this run is shown, and no further row is run.
  const isShown = () => fileRun.peek()?.id === id;
  const show = (change: Partial<FileRun> = {}): void => {
    if (isShown()) fileRun.value = { ...fileRun.peek()!, ...change, results: [...results] };
  };
  const { workflow, context, sources } = about;
  let next = 0;
  async function work(): Promise<void> {
    while (next < rows.length && isShown() && fileRun.peek()!.state === "under way") {
      const at = next;
      next += 1;
      const { row, inputs } = rows[at]!;
      results[at] = { row, inputs, state: "under way" };
      show();
      try {
        const answer = await callVerb("workflow run", {
          workflow,
          context,
          source: [...sources],
          inputs: { ...inputs },
        });
        results[at] = { row, inputs, state: "answered", answer };
        show();
      } catch (thrown) {
        const error = toCallError(thrown);
        results[at] = { row, inputs, state: "failed", error };
        show(STOPPING.has(error.code) ? { state: "stopping", stoppedBy: error } : {});
      }
    }
  }
  // The outputs of paid runs are not stored.
  const endWarning = about.isSimulated ? undefined : warnBeforeLeaving();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  endWarning?.();
  show({ state: "ended" });
}

/** Rows that are under way are finished, because they may be billed already. */
export function stopFileRun(): void {
  const run = fileRun.peek();
  if (run?.state === "under way") fileRun.value = { ...run, state: "stopping", stoppedBy: "person" };
}
