import { hrefOf } from "../../address.ts";
import { useHistory } from "../../api/use-history.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { useCharts } from "../../parts/chart.tsx";
import { Code } from "../../parts/code.tsx";
import { Copy } from "../../parts/copy.tsx";
import { DeclaredFields } from "../../parts/declared-fields.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Prose } from "../../parts/prose.tsx";
import { useTimeRange } from "../../parts/time-range.tsx";
import { Count, Id, Took } from "../../parts/values.tsx";
import { useVersions } from "../versions/use-versions.ts";
import { VersionsSection } from "../versions/versions-section.tsx";
import { FunctionCases } from "./function-cases.tsx";
import { FunctionCost, useFunctionCosts } from "./function-cost.tsx";
import { FunctionHistory } from "./function-history.tsx";
import { FunctionShadow } from "./function-shadow.tsx";

type ShownFunction = ResultOf<"function show">;

/** One function: its inputs and output, its cases, versions and code. */
export function FunctionPage({ id }: { readonly id: string }) {
  const { result: shown, error, reload } = useVerb("function show", { function: id });
  const range = useTimeRange();
  const history = useHistory(range, { by: "version", function: id });
  const shadow = useVerb("function shadow", { function: id });
  const versions = useVersions("function", id);
  const costs = useFunctionCosts(id);
  const isWhole = useTogether(
    history.result ?? history.error,
    useCharts(),
    shadow.result ?? shadow.error,
    versions.rows ?? versions.error,
    costs.result ?? costs.error,
  );
  if (shown?.function !== id || !isWhole) {
    return (
      <Page title={id} about={error === undefined ? "Loading…" : undefined}>
        {error && <Failure error={error} retry={reload} />}
      </Page>
    );
  }
  const { fields, code } = shown;
  return (
    <Page
      title={shown.title}
      about={<code>{shown.function}</code>}
      actions={
        <a class="button button-primary" href={hrefOf("/run", { function: id })}>
          Open in Run
        </a>
      }
    >
      <div class="about">
        {shown.description !== null && <Prose>{shown.description}</Prose>}
        <Facts
          of={[
            { title: "Sources", value: <CalledSources of={shown} /> },
            { title: "Cost of a run", value: <FunctionCost of={costs} /> },
            {
              title: "Time",
              value: (
                <>
                  at most <Took ms={shown.timeout_ms} />
                </>
              ),
            },
            {
              title: "Memory",
              value: (
                <>
                  at most <Count of={shown.memory_mb} /> MB
                </>
              ),
            },
            {
              title: "File",
              value: (
                <>
                  <code>{shown.file}</code> <span class="dim">({shown.from})</span>
                </>
              ),
            },
          ]}
        />
      </div>
      <FunctionHistory id={id} timeoutMs={shown.timeout_ms} range={range} of={history} />
      <FunctionShadow of={shadow} />
      <Section title="Inputs">
        <DeclaredFields
          caption="Inputs"
          fields={fields.inputs}
          none="This function declares no inputs. It receives all inputs unchecked."
        />
      </Section>
      <Section title="Output">
        <DeclaredFields
          caption="Output"
          fields={fields.output}
          required="Required"
          none="This function declares no schema of its output."
        />
      </Section>
      <FunctionCases shown={shown} />
      <VersionsSection kind="function" id={id} list={versions} />
      <Section title="Code" actions={code !== null && <Copy text={code} />}>
        {code === null ? (
          <p class="dim">The file no longer exists, or is too large to show.</p>
        ) : (
          <Code text={code} label={`Code of ${shown.function}`} />
        )}
      </Section>
    </Page>
  );
}

/** The sources that a function calls in its cases. Without cases, those that it called in its newest runs. */
function CalledSources({ of: { function: id, cases } }: { readonly of: ShownFunction }) {
  const inCases = [...new Set(cases.flatMap(({ asks }) => asks))].sort();
  return inCases.length === 0 ? <RecentSources id={id} /> : <Sources ids={inCases} />;
}

const NEWEST_RUNS = 50;

function RecentSources({ id }: { readonly id: string }) {
  const { result, error } = useVerb("ledger list", { function: id, limit: NEWEST_RUNS });
  if (result === undefined) return <span class="dim">{error === undefined ? "…" : "unknown"}</span>;
  const called = [...new Set(result.runs.flatMap(({ outcomes }) => outcomes.map(({ source }) => source)))].sort();
  if (called.length > 0)
    return (
      <>
        <Sources ids={called} /> <span class="dim">in its newest runs</span>
      </>
    );
  return <span class="dim">{result.runs.length === 0 ? "unknown: it has no cases and no runs" : "no source"}</span>;
}

function Sources({ ids }: { readonly ids: readonly string[] }) {
  return (
    <ul>
      {ids.map((source) => (
        <li key={source}>
          <Id href={hrefOf(`/sources/${encodeURIComponent(source)}`)}>{source}</Id>
        </li>
      ))}
    </ul>
  );
}
