import type { ResultOf } from "../../api/verb-types.ts";
import { CredentialName } from "../../parts/credential-link.tsx";
import { Badge } from "../../parts/values.tsx";
import { costText, type Planned } from "./charge-text.ts";
import type { Source } from "./source-facts.tsx";

export type Workflow = ResultOf<"workflow list">["workflows"][number];

interface WarningProps {
  readonly workflow: Workflow;
  readonly planned: Planned;
}

/** The effect of the button, shown before it is pressed. */
export function Before({ workflow, planned }: WarningProps) {
  if (workflow.simulated) {
    return (
      <p>
        <Badge kind="simulated">simulated</Badge> The workflow is simulated: no vendor is called, and nothing is billed.
      </p>
    );
  }
  return (
    <>
      <p>
        <Badge kind="live">live</Badge> {costText(planned).says}
      </p>
      <Obstacle planned={planned} />
    </>
  );
}

/** The reason why a run would use the credential. */
const RULES: Readonly<Record<string, string>> = {
  auto: ", the newest one that is enabled",
  default: ", the organization's default",
};

/** The reason why the call would fail without being sent, or its credential. */
function Obstacle({
  planned: { problem, input_problem: wrong, cred_id: id, cred_name: name, rule },
}: Pick<WarningProps, "planned">) {
  if (problem !== null) return <p>The call would fail, and nothing would be sent. {problem}</p>;
  if (wrong !== null)
    return <p>The call would fail, and nothing would be sent: {`${wrong.path.slice(1)} ${wrong.message}`}.</p>;
  if (id === null) return null;
  return (
    <p>
      With the credential <CredentialName id={id} name={name} />
      {RULES[rule]}.
    </p>
  );
}

/** The effect of the call, as the text of the confirmation. */
export function Warning({ source, workflow, planned }: WarningProps & { readonly source: Source }) {
  return (
    <div class="stack">
      <p>
        {source.leaves_machine ? (
          <>
            This makes one live call to <strong>{source.origins.join(", ")}</strong>,
          </>
        ) : (
          "This call is answered on the service's machine,"
        )}{" "}
        through the workflow{" "}
        <strong>
          <bdi>{workflow.name || workflow.workflow}</bdi>
        </strong>
        . The run is recorded in the ledger.
      </p>
      <p>{costText(planned).says}</p>
      <Obstacle planned={planned} />
    </div>
  );
}
