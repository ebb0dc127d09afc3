import { useNames } from "../../api/use-names.ts";
import { useVerb } from "../../api/use-verb.ts";
import { Copy } from "../../parts/copy.tsx";
import { Fact, FactList } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Badge, Id, Time, Took } from "../../parts/values.tsx";
import { VersionLink } from "../../parts/version-link.tsx";
import { RunCost } from "./run-cost.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import type { Shown } from "./run-words.ts";
import "./one-run.css";

/** One run: first its cost, then its calls and their times. */
export function OneRunPage({ id }: { readonly id: string }) {
  const { result, error, reload } = useVerb("ledger show", { transaction: id });
  return (
    <Page title={`Run …${id.slice(-8)}`} about={<Copied>{id}</Copied>}>
      {error && <Failure error={error} retry={reload} />}
      {result &&
        (result.damaged || result.run === null ? <Damaged of={result} /> : <RunDetails of={result} reload={reload} />)}
    </Page>
  );
}

function Copied({ children: id }: { readonly children: string }) {
  return (
    <>
      <Id>{id}</Id> <Copy text={id} />
    </>
  );
}

function RunDetails({ of: shown, reload }: { readonly of: Shown; readonly reload: () => void }) {
  const run = shown.run!;
  const names = useNames([run.organization_id, run.workflow_id, run.token_id]) ?? new Map<string, string>();
  return (
    <>
      <RunCost of={shown} />
      <RunFacts of={shown} names={names} />
      <Section title="Calls">
        <RunTimeline of={shown} organization={names.get(run.organization_id) ?? run.organization_id} reload={reload} />
      </Section>
    </>
  );
}

/** Parts of a damaged record are uncertain, so its text is shown unchanged. */
function Damaged({ of: { timeline } }: { readonly of: Shown }) {
  return <pre>{timeline}</pre>;
}

function RunFacts({ of, names }: { readonly of: Shown; readonly names: ReadonlyMap<string, string> }) {
  const run = of.run!;
  const org = run.organization_id;
  const link = (id: string) => <ObjectLink id={id} org={org} name={names.get(id)} />;
  return (
    <FactList isShort>
      <Fact title="Started">
        <Time at={run.started_at} />
      </Fact>
      <Fact title="Duration">
        {run.state === "unknown" ? <Badge kind="unknown">interrupted</Badge> : <Took ms={run.took_ms} />}
      </Fact>{" "}
      <Fact title="Requested">
        {run.function_id === null ? (
          run.kind === "data" ? (
            "sources"
          ) : (
            "a function"
          )
        ) : (
          <ObjectLink id={run.function_id} />
        )}
      </Fact>
      {run.function_id !== null && (run.function_version !== null || run.build === null) && (
        <Fact title="Function version">
          <VersionLink
            kind="function"
            id={run.function_id}
            number={run.function_version_number}
            digest={run.function_version}
          />
        </Fact>
      )}
      {run.build !== null && (
        <Fact title="Build">
          <Id>{run.build}</Id>
        </Fact>
      )}
      <Fact title="Organization">{link(org)}</Fact>
      <Fact title="Workflow">{link(run.workflow_id)}</Fact>
      <Fact title="Token">{link(run.token_id)}</Fact>
      <Fact title="Context">
        <span class="beside">
          {run.context}
          {run.simulated === 1 && <Badge kind="simulated">simulated</Badge>}
        </span>
      </Fact>
      {run.region !== "" && <Fact title="Region">{run.region}</Fact>}
      {run.client_request_id !== null && (
        <Fact title="Caller's request id">
          <Copied>{run.client_request_id}</Copied>
        </Fact>
      )}
      {run.trace_id !== null && (
        <Fact title="Caller's trace id">
          <Copied>{run.trace_id}</Copied>
        </Fact>
      )}
      {run.function_fault !== null && <Fact title="Function failed">{run.function_fault}</Fact>}
      {run.client_gone === 1 && <Fact title="Client">disconnected before the answer</Fact>}
      {run.unknown_sources > 0 && <Fact title="Unknown sources">{unknownSources(run)}</Fact>}
    </FactList>
  );
}

function unknownSources({ unknown_sources: count, unknown_source_names: names }: NonNullable<Shown["run"]>): string {
  const named = JSON.parse(names ?? "[]") as readonly string[];
  const more = count - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
