import { useEffect } from "preact/hooks";
import { address, setQuery } from "../../address.ts";
import { useWholeList } from "../../api/use-list.ts";
import { useVerb } from "../../api/use-verb.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { NEWEST, OrganizationField } from "../../parts/organization-field.tsx";
import { Section } from "../../parts/page.tsx";
import type { Workflow } from "./before-asking.tsx";
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
  const workflows = useWholeList("workflow list", org === "" ? null : { org }, "workflows");
  const offered = org === "" ? [] : (workflows.rows ?? []);
  const chosen = offered.find((each) => each.workflow === workflow);
  const error = orgs.error ?? (org === "" ? undefined : workflows.error);
  const isChosenLoaded = org === "" || (workflows.rows !== undefined && chosen === undefined);
  const isLoaded = error !== undefined || (orgs.result !== undefined && isChosenLoaded);
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
        <SelectField
          label="Workflow"
          value={workflow}
          disabled={org === ""}
          onValue={(value) => setQuery({ workflow: value })}
          choices={[{ value: "", label: "choose one" }, ...offered.map(toChoice)]}
        />
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

function toChoice({ workflow, name, simulated, disabled }: Workflow) {
  const marks = [simulated && "simulated", disabled && "disabled"].filter(Boolean).join(", ");
  return { value: workflow, label: `${name || workflow}${marks === "" ? "" : ` (${marks})`}` };
}
