import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useHistory } from "../../api/use-history.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import { mayUse } from "../../session.ts";
import { Button } from "../../parts/button.tsx";
import { useCharts } from "../../parts/chart.tsx";
import { Code } from "../../parts/code.tsx";
import { Copy } from "../../parts/copy.tsx";
import { CopyAs } from "../../parts/copy-as.tsx";
import { DeclaredFields } from "../../parts/declared-fields.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Prose } from "../../parts/prose.tsx";
import { useTimeRange } from "../../parts/time-range.tsx";
import { Badge } from "../../parts/values.tsx";
import { useVersions } from "../versions/use-versions.ts";
import { VersionsSection } from "../versions/versions-section.tsx";
import { AskOnce } from "./ask-once.tsx";
import { outputText } from "./output-text.ts";
import { SourceHealth } from "./source-health.tsx";
import { SourceState } from "./source-state.tsx";
import { SourceCases } from "./source-cases.tsx";
import { SourceCredentials } from "./source-credentials.tsx";
import { SourceFacts, type Source } from "./source-facts.tsx";
import { SourceHistory } from "./source-history.tsx";

/** One source: its properties, inputs and outputs, credentials, cases, versions and recent calls. */
export function SourcePage({ id }: { readonly id: string }) {
  const { result: source, error, reload } = useVerb("source show", { source: id });
  const range = useTimeRange();
  const history = useHistory(range, { by: "source", source: id });
  const health = useVerb("source health", { source: id });
  const holders = useList("source credentials", { source: id }, "credentials");
  const versions = useVersions("source", id);
  const isWhole = useTogether(
    history.result ?? history.error,
    useCharts(),
    health.result ?? health.error,
    holders.rows ?? holders.error,
    versions.rows ?? versions.error,
  );
  const isAsking = address().query.get("ask") === "live";
  // The form grows while it loads. If it is open from the start, the content below waits for it; if it is opened later,
  // it is in view.
  const [isFormLoaded, setFormLoaded] = useState(!isAsking);
  const isRestLoaded = useTogether(isFormLoaded || source?.on === false || error !== undefined || undefined);
  if (source?.source !== id || !isWhole) {
    return (
      <Page title={id} about={error === undefined ? "Loading…" : undefined}>
        {error && <Failure error={error} retry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={source.title}
      about={
        <span class="beside">
          <code>{source.source}</code>
          <SourceState of={source} />
          {source.live_tested === "never" && <Badge kind="unknown">never proved</Badge>}
        </span>
      }
      actions={
        <>
          {mayUse("source run") && source.on && (
            <Button pressed={isAsking} onClick={() => setQuery({ ask: isAsking ? null : "live" })}>
              {source.leaves_machine ? "Make a live call" : "Make a call"}
            </Button>
          )}
          <a class="button button-primary" href={hrefOf("/run", { sources: id })}>
            Open in Run
          </a>
        </>
      }
    >
      {!source.on && (
        <p>
          This source is off. Runs cannot call it until the setting <code>catalog</code> includes it.
        </p>
      )}
      {isAsking && source.on && <AskOnce source={source} onLoaded={() => setFormLoaded(true)} />}
      {isRestLoaded && (
        <>
          <div class="about">
            {source.description !== null && <Prose>{source.description}</Prose>}
            <SourceFacts source={source} />
          </div>
          <SourceHistory source={id} timeoutMs={source.limits.timeout_ms} range={range} of={history} />
          <SourceHealth of={health} />
          <Section title="Inputs">
            <DeclaredFields caption="Inputs" fields={source.fields.inputs} none="This source takes no inputs." />
          </Section>
          <Section title="Output">
            <DeclaredFields
              caption="Output"
              fields={source.fields.output}
              required="In every record"
              none={outputText(source.asks)}
            />
          </Section>
          <Section title="Use it">
            <CopyAs says="A request as" request={{ inputs: exampleOf(source), asks: [source] }} />
          </Section>
          <SourceCredentials source={source} holders={holders} />
          <SourceCases source={source} />
          <VersionsSection kind="source" id={id} list={versions} />
          {source.recipe !== null && (
            <Section title="Recipe" actions={<Copy text={source.recipe} />}>
              <Code text={source.recipe} label="The recipe of the file" />
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

/** Inputs for which its vendor has a record, or those of a case, or the examples of its fields. */
function exampleOf({ live_inputs: live, cases, fields }: Source): Readonly<Record<string, unknown>> {
  const found = cases.find(({ expects }) => expects === "record") ?? cases[0];
  const examples = fields.inputs
    .filter(({ name, examples }) => /^[^.[]+$/.test(name) && examples.length > 0)
    .map(({ name, examples }) => [name, examples[0]] as const);
  return live ?? found?.inputs ?? Object.fromEntries(examples);
}
