import { address, hrefOf, setQuery } from "../../address.ts";
import { useWholeList } from "../../api/use-list.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Empty } from "../../parts/empty.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { CredentialSteps } from "./credential-steps.tsx";
import { groupWorkflows, type WorkflowGroup } from "./group-workflows.ts";
import "./credentials.css";

type Source = NonNullable<ResultOf<"credential matrix">["sources"]>[number];
type Choice = Source["auto_credentials"];
type Context = "prod" | "test" | "dev";

const CONTEXTS = ["prod", "test", "dev"] as const satisfies readonly Context[];
const NAMED_MAX = 6;

/** The credential that a run uses, for each workflow and source of an organization. A cell opens the explanation. */
export function CredentialMatrix({ org }: { readonly org: string }) {
  const { query } = address();
  const context = CONTEXTS.find((one) => one === query.get("context")) ?? "prod";
  // All workflows are loaded, because the columns group them. The sources of the first page are those of all pages.
  const { rows: workflows, results, ...asked } = useWholeList("credential matrix", { org, context }, "workflows");
  const groups = groupWorkflows(workflows ?? []);
  const isThere = workflows !== undefined || asked.error !== undefined;
  const [workflow, source] = [query.get("workflow"), query.get("source")];
  return (
    <>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label="Context of the run"
          choices={CONTEXTS.map((value) => ({ value, label: value }))}
          value={context}
          onValue={(value) => setQuery({ context: value })}
        />
      </form>
      <p class="dim">
        For requests that neither contain nor name a credential. Workflows with equal settings use the same credentials.
      </p>
      {workflows && <Groups of={groups} />}
      <List
        // The table appears together with the groups, so that they do not shift it.
        key={String(isThere)}
        caption="Credentials that runs use, by source and workflow"
        columns={[
          {
            title: "Source",
            show: ({ source: id, needs_credential: needs }: Source) => (
              <div class="credential-source">
                <a href={hrefOf(`/sources/${encodeURIComponent(id)}`)}>{id}</a>
                <span class="dim">{needs}</span>
              </div>
            ),
          },
          ...groups.map((group) => ({
            title: group.title,
            show: (row: Source) => <Cell org={org} context={context} group={group} row={row} />,
          })),
        ]}
        keyOf={({ source: id }) => id}
        current={source ?? undefined}
        empty={<Empty title="No enabled source uses a credential." command="datarun source list" />}
        rows={results[0]?.sources}
        {...asked}
      />
      {workflows?.length === 0 && (
        <Empty
          title="This organization has no workflow. Every run needs one."
          command={`datarun workflow create --org ${org} --name onboarding`}
        />
      )}
      {isThere && workflow !== null && source !== null && (
        <CredentialSteps
          workflow={workflow}
          name={workflows?.find((one) => one.workflow === workflow)?.name || workflow}
          source={source}
          context={context}
          onClose={() => setQuery({ workflow: null, source: null })}
        />
      )}
    </>
  );
}

/** The workflows of each column. */
function Groups({ of }: { readonly of: readonly WorkflowGroup[] }) {
  return (
    <dl class="matrix-groups">
      {of.map(({ title, workflows }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <Names of={workflows} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Names({ of: workflows }: { readonly of: WorkflowGroup["workflows"] }) {
  const named = workflows.slice(0, NAMED_MAX);
  const others = workflows.length - named.length;
  return (
    <>
      {named.map(({ name, workflow }, at) => (
        <>
          {at > 0 && ", "}
          <bdi key={workflow}>{name || workflow}</bdi>
        </>
      ))}
      {others > 0 && ` and ${others} more`}
    </>
  );
}

interface CellProps {
  readonly org: string;
  readonly context: Context;
  readonly group: WorkflowGroup;
  readonly row: Source;
}

function Cell({ org, context, group: { takes, workflows }, row }: CellProps) {
  if (takes === "made up") return <span class="dim">{context === "prod" ? "refused in prod" : "simulated"}</span>;
  const { workflow } = workflows[0]!;
  const href = hrefOf("/credentials", { org, view: "matrix", context, workflow, source: row.source });
  const choice = row[takes];
  return (
    <a class="matrix-cell" href={href} title={choice.reason}>
      <ChosenCredential choice={choice} needs={row.needs_credential} />
      {choice.cred_name !== null && <bdi class="named-name">{choice.cred_name}</bdi>}
      {choice.cred_id !== null && <code class="id">…{choice.cred_id.slice(-8)}</code>}
    </a>
  );
}

const BY_RULE: Readonly<Record<string, string>> = { auto: "newest active one", default: "default" };

function ChosenCredential({ choice, needs }: { readonly choice: Choice; readonly needs: Source["needs_credential"] }) {
  const { rule, usable } = choice;
  if (rule === "none") {
    return needs === "required" ? (
      <Outcome kind="failed" says="none: calls fail" />
    ) : (
      <Outcome kind="no_record" says="none: called without one" />
    );
  }
  const says = BY_RULE[rule] ?? rule;
  return usable ? <Outcome kind="found" says={says} /> : <Outcome kind="failed" says={`${says}, unusable`} />;
}
