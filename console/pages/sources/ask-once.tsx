import { useEffect } from "preact/hooks";
import { address, setQuery } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { NEWEST, OrganizationField } from "../../parts/organization-field.tsx";
import { Section } from "../../parts/page.tsx";
import { nameAndMode, WorkflowField } from "../../parts/workflow-field.tsx";
import { Question, type Context } from "./question.tsx";
import type { Source } from "./source-facts.tsx";

interface AskOnceProps {
  readonly source: Source;
  /** Called when the data that needs no input by a person has arrived. */
  readonly onLoaded: () => void;
}

/** Calls a source through a workflow, after showing the cost. Organization, workflow and context are in the address. */
export function AskOnce({ source, onLoaded }: AskOnceProps) {
  const { query } = address();
  const org = query.get("org") ?? "";
  const workflow = query.get("workflow") ?? "";
  const context = query.get("context") ?? "dev";
  const orgs = useVerb("org list", { limit: NEWEST });
  const named = useVerb("workflow list", org === "" || workflow === "" ? null : { org, id: workflow, limit: 1 });
  const chosen = named.result?.workflows.find((each) => each.workflow === workflow);
  const error = orgs.error ?? named.error;
  const isNoneChosen = org === "" || workflow === "" || (named.isCurrent && chosen === undefined);
  const isLoaded = error !== undefined || (orgs.result !== undefined && isNoneChosen);
  useEffect(() => {
    if (isLoaded) onLoaded();
  }, [isLoaded]);
  if (orgs.result?.organizations.length === 0) {
    return (
      <Section title="Make a live call">
        <Empty title="There is no organization to make a call for." command="datarun org create NAME" />
      </Section>
    );
  }
  return (
    <Section title="Make a live call">
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <OrganizationField value={org} onValue={(value) => setQuery({ org: value, workflow: null })} />
        {org !== "" && (
          <WorkflowField
            org={org}
            value={workflow}
            says={workflow === "" ? "" : chosen && nameAndMode(chosen)}
            onValue={(value) => setQuery({ workflow: value })}
            labelOf={nameAndMode}
          />
        )}
        <SelectField
          label="Context"
          value={context}
          onValue={(value) => setQuery({ context: value === "dev" ? null : value })}
          choices={["dev", "test", "prod"].map((value) => ({ value, label: value }))}
        />
      </form>
      {error && <Failure error={error} />}
      {chosen && (
        <Question key={workflow} source={source} workflow={chosen} context={context as Context} onLoaded={onLoaded} />
      )}
    </Section>
  );
}
