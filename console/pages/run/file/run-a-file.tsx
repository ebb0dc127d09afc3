import { useEffect, useRef, useState } from "preact/hooks";
import { CallError } from "../../../api/send-request.ts";
import { callVerb } from "../../../api/call-verb.ts";
import { toCallError } from "../../../api/use-verb.ts";
import type { ResultOf } from "../../../api/verb-types.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { mayUse } from "../../../session.ts";
import { runLabel } from "../price-words.ts";
import type { RunContext } from "../run-address.ts";
import { fileRun, startFileRun } from "./file-run.ts";
import { FileResults } from "./file-results.tsx";

type RowsPlan = ResultOf<"workflow plan-rows">;

export interface RunAFileProps {
  readonly workflow: string;
  readonly context: RunContext;
  readonly sources: readonly string[];
}

interface ChosenFile {
  readonly name: string;
  readonly text: string;
  readonly format: "csv" | "jsonl";
}

/** The body of a request to the admin API has at most a megabyte, in which some characters take two bytes. */
const FILE_BYTES_MAX = 900_000;
const PROBLEMS_SHOWN = 10;

/** Reads a small file, shows what running its rows would do and cost, and runs them. */
export function RunAFile({ workflow, context, sources }: RunAFileProps) {
  const [file, setFile] = useState<ChosenFile>();
  const [map, setMap] = useState("");
  const [plan, setPlan] = useState<RowsPlan>();
  const [error, setError] = useState<CallError>();
  const [isBusy, setBusy] = useState(false);
  const [hasChanged, setChanged] = useState(false);
  /** Incremented by every request. Only the answer of the last one is shown. */
  const asked = useRef(0);
  const about = JSON.stringify([workflow, context, sources]);
  useEffect(() => void planOf(file, map), [about]);

  /** @param shown stays until its successor is known, so that its button keeps the focus */
  async function planOf(
    chosen: ChosenFile | undefined,
    columns: string,
    shown?: RowsPlan,
  ): Promise<RowsPlan | undefined> {
    const own = (asked.current += 1);
    setPlan(shown);
    setError(undefined);
    setChanged(false);
    if (chosen === undefined) return undefined;
    setBusy(true);
    try {
      const pairs = columns.split(",").map((pair) => pair.trim());
      const { text: rows, format } = chosen;
      const found = await callVerb("workflow plan-rows", {
        workflow,
        context,
        source: [...sources],
        rows,
        format,
        map: pairs.filter((pair) => pair !== ""),
      });
      if (asked.current !== own) return undefined;
      setPlan(found);
      return found;
    } catch (thrown) {
      if (asked.current !== own) return undefined;
      setPlan(undefined);
      setError(toCallError(thrown));
      return undefined;
    } finally {
      if (asked.current === own) setBusy(false);
    }
  }

  async function take(files: FileList | null): Promise<void> {
    const one = files?.[0];
    if (one === undefined) return;
    const own = (asked.current += 1);
    const read = await readFile(one).catch(toCallError);
    if (asked.current !== own) return;
    if (read instanceof CallError) {
      setFile(undefined);
      setPlan(undefined);
      setError(read);
      return;
    }
    setFile(read);
    await planOf(read, map);
  }

  /** What is shown is what is agreed to: at another price, or with other inputs, nothing is run. */
  async function run(agreed: RowsPlan): Promise<void> {
    const now = await planOf(file, map, agreed);
    if (now === undefined || file === undefined) return;
    if (JSON.stringify(now) !== JSON.stringify(agreed)) return setChanged(true);
    const rows = now.rows.filter(({ problem }) => problem === null);
    void startFileRun(
      { fileName: file.name, workflow, context, sources, isSimulated: now.simulated },
      rows.map(({ row, inputs }) => ({ row, inputs: inputs as Readonly<Record<string, unknown>> })),
    );
  }

  const isUnderWay = (fileRun.value?.state ?? "ended") !== "ended";
  return (
    <div class="stack run-of-file">
      <label class="run-file">
        <span>CSV or JSON Lines, up to 1,000 rows</span>{" "}
        <input
          type="file"
          accept=".csv,.tsv,.txt,.jsonl,.ndjson"
          // Allows the same file to be selected again.
          onClick={(event) => (event.currentTarget.value = "")}
          onChange={(event) => void take(event.currentTarget.files)}
        />
      </label>
      <form
        class="beside"
        onSubmit={(event) => {
          event.preventDefault();
          void planOf(file, map);
        }}
      >
        <TextField
          label="Columns of inputs with other names"
          hint="Optional: input=Column, input=Column"
          value={map}
          onValue={setMap}
        />
        <Button type="submit" isBusy={isBusy} disabled={file === undefined}>
          Check again
        </Button>
      </form>
      {error && <Failure error={error} />}
      {hasChanged && (
        <p class="run-refused" role="alert">
          <strong>Nothing was run.</strong> The plan has changed. Below is the new one.
        </p>
      )}
      {plan && <Planned plan={plan} />}
      {plan && !mayUse("workflow run") && <p class="dim">You may not start runs here.</p>}
      {plan && mayUse("workflow run") && (
        <div class={plan.simulated ? "run-go run-go-simulated" : "run-go"}>
          <Button
            kind="primary"
            isBusy={isBusy || isUnderWay}
            disabled={plan.problem !== null || runnable(plan) === 0}
            onClick={() => void run(plan)}
          >
            {isUnderWay ? "Running…" : labelOf(plan)}
          </Button>
        </div>
      )}
      {fileRun.value !== undefined && <FileResults run={fileRun.value} />}
    </div>
  );
}

function runnable({ rows }: RowsPlan): number {
  return rows.filter(({ problem }) => problem === null).length;
}

function labelOf(plan: RowsPlan): string {
  return runLabel({ ...plan, workflow: plan }, "sources").replace(/^Run/, `Run ${rowsText(runnable(plan))}`);
}

function rowsText(count: number): string {
  return `${count} ${count === 1 ? "row" : "rows"}`;
}

function Planned({ plan }: { readonly plan: RowsPlan }) {
  const wrong = plan.rows.filter(({ problem, refused }) => problem !== null || refused.length > 0);
  return (
    <>
      <p role="status">
        {runnable(plan)} of {plan.rows.length} rows can be run.
      </p>
      <ul>
        {plan.remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
        {plan.sources.map(({ source, problem, rows, at_most: most, currency }) => (
          <li key={source}>
            <code>{source}</code>:{" "}
            {problem ?? `${rowsText(rows)}${most === null ? "" : `, at most ${most} ${currency}`}`}
          </li>
        ))}
      </ul>
      {plan.unknown_cost.length > 0 && <p>The prices of these sources are unknown: {plan.unknown_cost.join(", ")}.</p>}
      {plan.problem !== null && <p class="field-problem">{plan.problem}</p>}
      {wrong.length > 0 && (
        <>
          <h3>Rows with problems</h3>
          <ul>
            {wrong.slice(0, PROBLEMS_SHOWN).map(({ row, problem, refused }) => (
              <li key={row}>
                Row {row}:{" "}
                {refused.length === 0
                  ? problem
                  : refused.map(({ source, problem: says }) => `${source} ${says}`).join("; ")}
              </li>
            ))}
          </ul>
          {wrong.length > PROBLEMS_SHOWN && <p class="dim">And {wrong.length - PROBLEMS_SHOWN} more.</p>}
        </>
      )}
    </>
  );
}

/** @throws CallError */
async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > FILE_BYTES_MAX)
    throw new CallError("invalid", `${file.name} is larger than 900 kB. Run it in a terminal, with datarun batch.`);
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null)
    throw new CallError("invalid", `${file.name} could not be read. It was moved, or access is denied.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { name: file.name, text, format: /\.(jsonl|ndjson)$/i.test(file.name) ? "jsonl" : "csv" };
  } catch {
    throw new CallError("invalid", `${file.name} is not UTF-8. Save it as UTF-8.`);
  }
}
