import { hrefOfObject } from "../../parts/object-link.tsx";
import { NamedShape } from "../../parts/outcome.tsx";
import { FAULT_NAMES } from "./fault-words.ts";
import { kindOf, type ListedCall, type Run } from "./run-words.ts";
import "./run-outcomes.css";

/** A row shows at most this many shapes, so that it stays on one line. */
const SHAPES_MAX = 24;

/** How the calls of a run ended: a shape for each, and the first failure in words. */
export function RunOutcomes({ run, source }: { readonly run: Run; readonly source: string | undefined }) {
  const shown = run.outcomes.slice(0, SHAPES_MAX);
  const more = run.calls - shown.length;
  return (
    <div class="run-outcomes">
      <span class="run-shapes">
        {shown.map((call, at) => (
          <NamedShape key={at} of={kindOf(call)} says={`${call.source}: ${wordsOf(call)}`} />
        ))}
        {more > 0 && <span class="dim">+{more}</span>}
        {run.calls === 0 && <span class="dim">no call</span>}
      </span>
      <Failure run={run} source={source} />
    </div>
  );
}

function wordsOf(call: ListedCall): string {
  if (call.outcome === "unknown") return "interrupted";
  if (call.outcome === "failed") return `${call.sent ? "failed" : "not sent"}, ${nameOf(call)}`;
  return call.outcome === "match" ? "found" : "no record";
}

function nameOf({ failure }: ListedCall): string {
  return failure === null ? "no recorded reason" : (FAULT_NAMES[failure] ?? failure);
}

/** The first failure, of the source in the filter if there is one. */
function Failure({ run, source }: { readonly run: Run; readonly source: string | undefined }) {
  const failed = run.outcomes.filter(({ outcome }) => outcome === "failed");
  const first = failed.find((call) => call.source === source) ?? failed[0];
  const others = run.failed - 1;
  if (first !== undefined)
    return (
      <span class="run-failure">
        <a href={hrefOfObject("source", first.source)}>{first.source}</a>
        <span>
          : {nameOf(first)}
          {others > 0 && <span class="dim"> and {others} more</span>}
        </span>
      </span>
    );
  if (run.function_failure !== null) return <span class="run-failure">function: {run.function_failure}</span>;
  if (run.unknown_sources > 0)
    return (
      <span class="run-failure">
        {run.unknown_sources === 1 ? "1 unknown source" : `${run.unknown_sources} unknown sources`}
      </span>
    );
  return null;
}
