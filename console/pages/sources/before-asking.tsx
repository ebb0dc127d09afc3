import type { ResultOf } from "../../api/verb-types.ts";
import { Badge, Id } from "../../parts/values.tsx";
import { sayCost, type Planned } from "./say-charge.ts";
import type { Source } from "./source-facts.tsx";

export type Workflow = ResultOf<"workflow list">["workflows"][number];

interface WarningProps {
  readonly workflow: Workflow;
  readonly planned: Planned;
}

/** What will happen, before the button is pressed. */
export function Before({ workflow, planned }: WarningProps) {
  if (workflow.simulated) {
    return (
      <p>
        <Badge kind="simulated">simulated</Badge> The workflow is simulated: no vendor is asked, and nothing is billed.
      </p>
    );
  }
  return (
    <>
      <p>
        <Badge kind="live">live</Badge> {sayCost(planned).says}
      </p>
      <Obstacle planned={planned} />
    </>
  );
}

/** Why a run would take that credential. */
const RULES: Readonly<Record<string, string>> = {
  auto: ", the newest one that is enabled",
  default: ", the organization's default",
};

/** What it would fail at without being asked, or the credential that it takes. */
function Obstacle({ planned: { problem, input_problem: wrong, cred_id: id, rule } }: Pick<WarningProps, "planned">) {
  if (problem !== null) return <p>It would fail, and nothing would be sent. {problem}</p>;
  if (wrong !== null)
    return <p>It would fail, and nothing would be sent: {`${wrong.path.slice(1)} ${wrong.message}`}.</p>;
  if (id === null) return null;
  return (
    <p>
      With the credential <Id>{id}</Id>
      {RULES[rule]}.
    </p>
  );
}

/** What will happen, in the words of the question that is asked before. */
export function Warning({ source, workflow, planned }: WarningProps & { readonly source: Source }) {
  return (
    <div class="stack">
      <p>
        {source.leaves_machine ? (
          <>
            One question goes to <strong>{source.origins.join(", ")}</strong>,
          </>
        ) : (
          "It is answered on the service's machine,"
        )}{" "}
        through the workflow{" "}
        <strong>
          <bdi>{workflow.name || workflow.workflow}</bdi>
        </strong>
        . The run is on the ledger like any other.
      </p>
      <p>{sayCost(planned).says}</p>
      <Obstacle planned={planned} />
    </div>
  );
}
