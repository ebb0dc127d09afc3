import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { Copy } from "../../parts/copy.tsx";
import { Failure } from "../../parts/failure.tsx";
import { hrefOfObject } from "../../parts/object-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { TimeAxis, TimeBar } from "../../parts/time-bar.tsx";
import { firstOpen, treeRows } from "../../parts/tree-rows.ts";
import { Tree } from "../../parts/tree.tsx";
import { useLeaveWarning } from "../../parts/use-leave-warning.ts";
import { Badge, Id, Took, tookText } from "../../parts/values.tsx";
import { type Entry, entriesOf, isObject, summaryOf, withoutPrefix } from "./answer.ts";
import { mayHaveBeenMade, type Run } from "./current-run.ts";

/** The answer of the last run, or its progress. */
export function RunResult({ run }: { readonly run: Run }) {
  const { parameters, state, answer, error } = run;
  const box = useRef<HTMLDivElement>(null);
  // Makes the progress visible after the button is pressed.
  useEffect(() => {
    if (state === "under way") box.current?.scrollIntoView({ block: "nearest" });
  }, [run.startedAt, state]);
  return (
    <div ref={box} class={parameters.isSimulated ? "run-result run-result-simulated" : "run-result"}>
      <Section
        title="Answer"
        actions={parameters.isSimulated && <Badge kind="simulated">simulated: invented data</Badge>}
      >
        {state === "under way" && <RunProgress run={run} />}
        {state === "failed" && (
          <>
            <Failure error={error!} />
            {mayHaveBeenMade(run) && (
              <p>
                The run may have started anyway. Look at{" "}
                <a href={hrefOf("/runs", { workflow: parameters.workflow })}>the runs of this workflow</a> before you
                start it again, because a call can be billed twice.
              </p>
            )}
          </>
        )}
        {state === "answered" && <RunAnswer run={run} answer={answer!} />}
      </Section>
    </div>
  );
}

function RunProgress({ run }: { readonly run: Run }) {
  const { sources, functionId, isSimulated } = run.parameters;
  const { ended } = run;
  const elapsedMs = useElapsed(run.startedAt);
  const longestMs = Math.max(...sources.map(({ timeoutMs }) => timeoutMs), functionId === undefined ? 1_000 : 60_000);
  // The outputs of a paid run are not stored.
  useLeaveWarning(!isSimulated);
  return (
    <>
      <p role="status">
        <Outcome kind="waiting" says="In progress." /> {endedText(run)} The answer arrives when{" "}
        {functionId === undefined ? "the slowest source has ended" : "the function has finished"}, after at most{" "}
        <Took ms={longestMs} />.
      </p>
      <p class="dim">
        You can go to other pages of the console and return: the run continues, and its answer is shown here. If you
        close or reload this page, the run also continues and is recorded under Runs, but its outputs are lost, because
        they are not stored.
      </p>
      <div class="run-cards">
        {functionId !== undefined && <CallProgress id={functionId} totalMs={longestMs} soFarMs={elapsedMs} />}
        {functionId === undefined
          ? sources.map(({ id, title, timeoutMs }) => (
              <CallProgress
                key={id}
                id={id}
                title={title}
                totalMs={longestMs}
                soFarMs={Math.min(elapsedMs, timeoutMs)}
                ended={ended.find(({ source }) => source === id)}
              />
            ))
          : ended.map((call, at) => (
              <CallProgress key={at} id={call.source} totalMs={longestMs} soFarMs={elapsedMs} ended={call} />
            ))}
      </div>
    </>
  );
}

/** The progress in words, for screen readers. */
function endedText({ parameters: { sources, functionId }, ended }: Run): string {
  if (functionId === undefined) return ended.length === 0 ? "" : `${ended.length} of ${sources.length} have ended.`;
  return ended.length === 0 ? "" : `${ended.length === 1 ? "1 call has" : `${ended.length} calls have`} ended.`;
}

interface CallProgressProps {
  readonly id: string;
  readonly title?: string;
  readonly totalMs: number;
  readonly soFarMs: number;
  /** `undefined` while the call is in progress. */
  readonly ended?: Run["ended"][number] | undefined;
}

/** A call in progress. It is as high as the entry that replaces it. */
function CallProgress({ id, title, totalMs, soFarMs, ended }: CallProgressProps) {
  const kind = ended === undefined ? "waiting" : !ended.success ? "failed" : ended.match ? "found" : "no_record";
  const toMs = ended?.took_ms ?? soFarMs;
  return (
    <div class="run-card">
      <div class="run-card-head">
        <CardName id={id} title={title} />
        <TimeBar totalMs={totalMs} spans={[{ fromMs: 0, toMs, kind, says: ended ? tookText(toMs) : "so far" }]} />
        <span class="number dim">{ended ? <Took ms={toMs} /> : `${(soFarMs / 1_000).toFixed(1)} s`}</span>
      </div>
      <p>
        <Outcome kind={kind} />
      </p>
    </div>
  );
}

const TICK_MS = 200;

function useElapsed(startedAt: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [startedAt]);
  return Math.max(now - startedAt, 0);
}

function RunAnswer({
  run: { parameters },
  answer,
}: {
  readonly run: Run;
  readonly answer: NonNullable<Run["answer"]>;
}) {
  const entries = entriesOf(answer, parameters);
  const { transaction_id: transaction, response_time_ms: tookMs } = answer;
  const totalMs = Math.max(typeof tookMs === "number" ? tookMs : 0, ...(entries ?? []).map((one) => one.tookMs), 1);
  const raw = JSON.stringify(answer, null, 2);
  return (
    <>
      <p role="status">
        {entries === null ? "The output of the function." : `${summaryOf(entries)}.`}{" "}
        {typeof tookMs === "number" && (
          <>
            Answered in <Took ms={tookMs} />.
          </>
        )}
      </p>
      {typeof transaction === "string" && (
        <p>
          <a href={hrefOfObject("run", transaction)}>Timeline of the run</a>: calls, credentials and charges.{" "}
          <Id>{transaction}</Id>
        </p>
      )}
      {entries === null ? (
        <Tree label="Answer" value={answer} />
      ) : (
        <div class="run-cards">
          <div class="run-card-head run-axis">
            <span />
            <TimeAxis totalMs={totalMs} />
            <span />
          </div>
          {entries.map((entry) => (
            <Card key={entry.id} entry={entry} totalMs={totalMs} isOnly={entries.length === 1} />
          ))}
        </div>
      )}
      <details class="run-raw">
        <summary>Raw JSON</summary>
        <Copy text={raw} />
        <pre tabIndex={0} aria-label="Raw JSON">
          {raw}
        </pre>
      </details>
    </>
  );
}

function CardName({ id, title }: { readonly id: string; readonly title: string | undefined }) {
  return (
    <div class="run-card-name">
      <h3 title={title ?? id}>{title ?? id}</h3>
      {title !== undefined && title !== id && <code class="dim">{id}</code>}
    </div>
  );
}

interface CardProps {
  readonly entry: Entry;
  readonly totalMs: number;
  readonly isOnly: boolean;
}

const NAMED = 6;
/** Outputs up to this many lines are expanded: they do not hide the other sources. */
const SHORT_LINES = 6;

/** The result of one source: outcome, duration and output. The output is expanded if it is short or the only one. */
function Card({ entry, totalMs, isOnly }: CardProps) {
  const { id, title, kind, says, message, tookMs, output } = entry;
  const isEmpty = typeof output === "object" && output !== null && Object.keys(output).length === 0;
  const isShort = useMemo(() => treeRows(output, firstOpen(output)).length <= SHORT_LINES, [output]);
  return (
    <section class="run-card" aria-label={title ?? id}>
      <div class="run-card-head">
        <CardName id={id} title={title} />
        <TimeBar
          totalMs={totalMs}
          spans={[{ fromMs: 0, toMs: tookMs, kind, says: `${says} after ${tookText(tookMs)}` }]}
        />
        <span class="number">
          <Took ms={tookMs} />
        </span>
      </div>
      <p>
        <Outcome kind={kind} says={says} />
        {message !== "" && `: ${withoutPrefix(message)}`}
      </p>
      {!isEmpty && (
        <details class="run-output" open={isOnly || isShort}>
          <summary>
            Output
            {!isOnly && !isShort && isObject(output) && <span>: {Object.keys(output).slice(0, NAMED).join(", ")}</span>}
          </summary>
          <Tree label={`Output of ${id}`} value={output} />
        </details>
      )}
    </section>
  );
}
