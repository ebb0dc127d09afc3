import { useVerb } from "../../api/use-verb.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { Command } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome, type OutcomeKind } from "../../parts/outcome.tsx";
import { Table } from "../../parts/table.tsx";
import { ShortId } from "../../parts/short-id.tsx";

interface CredentialStepsProps {
  readonly workflow: string;
  /** The name of the workflow. */
  readonly name: string;
  readonly source: string;
  readonly context: NonNullable<InputOf<"credential explain">["context"]>;
  readonly onClose: () => void;
}

type Step = ResultOf<"credential explain">["steps"][number];
type KeptField = ResultOf<"credential explain">["references"][number];

const RULES: Readonly<Record<string, string>> = {
  inline: "In the request",
  named: "Named in the request",
  auto: "Selected automatically",
  default: "Default",
};

const VERDICTS: Readonly<Record<string, OutcomeKind>> = { takes: "found", refuses: "failed", passes: "no_record" };

/** All rules in order of precedence, each with its result and the reason. */
export function CredentialSteps({ workflow, name, source, context, onClose }: CredentialStepsProps) {
  const { result, error, reload } = useVerb("credential explain", { workflow, source, context });
  return (
    <Dialog
      title={
        <>
          Credential of a run of <bdi>{name}</bdi> for {source} in {context}
        </>
      }
      onClose={onClose}
      isToRead
    >
      {!result && !error && <p class="dim">Loading…</p>}
      {error && <Failure error={error} retry={reload} />}
      {result && (
        <>
          <p>
            <Conclusion of={result} />
          </p>
          <Table
            caption="Rules in order of precedence"
            columns={[
              { title: "Rule", show: ({ rule }: Step) => RULES[rule] ?? rule },
              { title: "Result", show: ({ verdict }) => <Outcome kind={VERDICTS[verdict] ?? "off"} says={verdict} /> },
              {
                title: "Reason",
                show: ({ reason, cred_id: id, cred_name: name }) => (
                  <Because reason={reason} credential={id} name={name} />
                ),
              },
            ]}
            rows={result.steps}
            keyOf={({ rule }) => rule}
          />
          {result.references.length > 0 && (
            <Table
              caption="Values that are kept elsewhere"
              columns={[
                { title: "Field", show: ({ field }: KeptField) => <code>{field}</code> },
                { title: "From", show: ({ reference }) => <bdi>{reference}</bdi> },
                {
                  title: "Read",
                  show: ({ age_s: age, problem }) => (
                    <div>
                      {age === null ? "never" : `${age} s ago`}
                      {problem !== null && <Outcome kind="failed" says={problem} />}
                    </div>
                  ),
                },
              ]}
              rows={result.references}
              keyOf={({ field }) => field}
            />
          )}
          <Command>{`datarun credential explain --workflow ${workflow} --source ${source} --context ${context}`}</Command>
        </>
      )}
    </Dialog>
  );
}

function Conclusion({
  of: { usable, cred_id: id, cred_name: name, problem, needs_credential: needs },
}: {
  readonly of: ResultOf<"credential explain">;
}) {
  if (problem !== null) return <Outcome kind="failed" says={`The call fails: ${problem}.`} />;
  if (!usable) return <Outcome kind="failed" says="The call fails. Nothing is sent." />;
  if (id === null)
    return (
      <Outcome
        kind="no_record"
        says={needs === "required" ? "No credential." : "The source is called without a credential."}
      />
    );
  return (
    <>
      <Outcome kind="found" says="Runs use" /> {name !== null && <bdi>{name}</bdi>} <ShortId id={id} />
    </>
  );
}

interface BecauseProps {
  readonly reason: string;
  readonly credential: string | null;
  readonly name: string | null;
}

function Because({ reason, credential, name }: BecauseProps) {
  return (
    <div>
      {reason}
      {credential !== null && (
        <div class="dim">
          {name !== null && <bdi>{name}</bdi>} <ShortId id={credential} />
        </div>
      )}
    </div>
  );
}
