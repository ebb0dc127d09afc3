import { useState } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { useHistory } from "../../api/use-history.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { useCharts } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { Loading } from "../../parts/list.tsx";
import { ActiveState } from "../../parts/outcome.tsx";
import { Page } from "../../parts/page.tsx";
import { useTimeRange } from "../../parts/time-range.tsx";
import { Day, Id } from "../../parts/values.tsx";
import { OrganizationHistory } from "./organization-history.tsx";
import { Tokens, useTokens } from "./tokens.tsx";
import { useWorkflows, Workflows } from "./workflows.tsx";

type Organization = ResultOf<"org show">;

/** The pages that show what belongs to an organization. */
const LINKS = [
  ["Runs", "/runs"],
  ["Spend", "/money"],
  ["Budgets", "/money/budgets"],
  ["Credentials", "/credentials"],
  ["Audit", "/audit"],
] as const;

/** An organization with its workflows and tokens. */
export function OneOrganization({ org }: { readonly org: string }) {
  const { result, error, reload } = useVerb("org show", { org });
  const [workflows, tokens] = [useWorkflows(org), useTokens(org)];
  const range = useTimeRange();
  const calls = useHistory(range, { by: "all", org });
  const runs = useHistory(range, { by: "token", org, limit: 1_000 });
  const isWhole = useTogether(
    workflows.rows ?? workflows.error,
    tokens.rows ?? tokens.error,
    calls.result ?? calls.error,
    runs.result ?? runs.error,
    useCharts(),
  );
  if (result === undefined) {
    return (
      <Page title="Organization" about={<Id>{org}</Id>}>
        {error && <Failure error={error} retry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={result.name}
      about={
        <span class="beside">
          <Id>{org}</Id>
          <ActiveState disabled={result.disabled} />
          <span>
            created <Day at={result.created_at} />
          </span>
        </span>
      }
      actions={<Acts of={result} onDone={reload} />}
    >
      <nav class="beside" aria-label="Pages of this organization">
        {LINKS.map(([label, path]) => (
          <a key={label} href={hrefOf(path, { org })}>
            {label}
          </a>
        ))}
      </nav>
      {result.disabled && (
        <p>
          <strong>It is disabled.</strong> All requests with its tokens get 401 until it is enabled.
        </p>
      )}
      {isWhole ? (
        <>
          <OrganizationHistory org={org} range={range} calls={calls} runs={runs} />
          <Workflows org={org} list={workflows} />
          <Tokens org={org} name={result.name} list={tokens} />
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Acts({
  of: { organization_tuid: org, name, disabled },
  onDone,
}: {
  readonly of: Organization;
  readonly onDone: () => void;
}) {
  const [text, setText] = useState(name);
  return (
    <>
      <FormAct
        verb="org rename"
        label="Rename"
        does="Rename"
        title={
          <>
            Rename <bdi>{name}</bdi>
          </>
        }
        input={() => (text === name ? null : { org, name: text })}
        onOpen={() => setText(name)}
        onDone={onDone}
      >
        <TextField
          label="Name"
          hint="The id and everything that belongs to it stay the same. The audit trail keeps both names."
          value={text}
          onValue={setText}
          required
        />
      </FormAct>
      {disabled ? (
        <Act verb="org enable" input={{ org }} label="Enable" onDone={onDone} />
      ) : (
        <Act
          verb="org disable"
          input={{ org }}
          label="Disable"
          isDangerous
          asks={{
            title: (
              <>
                Disable <bdi>{name}</bdi>?
              </>
            ),
            says: (
              <p>
                Within a second, every request with any token of <bdi>{name}</bdi> gets 401, on all machines. Runs in
                progress are completed. Nothing is deleted, and it can be enabled again.
              </p>
            ),
          }}
          onDone={onDone}
        />
      )}
    </>
  );
}
