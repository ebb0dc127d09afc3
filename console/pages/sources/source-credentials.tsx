import { hrefOf } from "../../address.ts";
import type { ListState } from "../../api/use-list.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { DeclaredFields } from "../../parts/declared-fields.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { ActiveState, Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Day } from "../../parts/values.tsx";
import type { Source } from "./source-facts.tsx";

type Row = RowOf<"source credentials", "credentials">;

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Organization",
    show: ({ organization, organization_tuid: org }) => (
      <a class="named-name" href={hrefOf("/credentials", { org })} title={`${organization} (${org})`}>
        <bdi>{organization === "" ? org : organization}</bdi>
      </a>
    ),
  },
  {
    title: "Credential",
    show: ({ cred_id: id, name, organization_tuid: org }) => <CredentialLink id={id} org={org} name={name} />,
  },
  { title: "State", show: stateOf },
  { title: "Default", show: (row) => (row.default ? "yes" : "no") },
  { title: "Contexts", show: ({ contexts }) => contexts.join(", ") },
  { title: "Regions", show: ({ regions }) => regions.join(", ") },
  { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
];

function stateOf({ disabled, organization_disabled: isOff }: Row) {
  if (isOff) return <Outcome kind="off" says="organization disabled" />;
  return <ActiveState disabled={disabled} />;
}

interface SourceCredentialsProps {
  readonly source: Source;
  readonly holders: ListState<Row>;
}

/** The credential fields of the source, and the organizations that have a credential. */
export function SourceCredentials({ source, holders }: SourceCredentialsProps) {
  if (source.credential === "none") return null;
  return (
    <Section title="Credentials">
      <DeclaredFields
        caption="Fields of a credential"
        fields={source.fields.credential}
        none="The fields are not declared."
      />
      <List
        caption="Stored credentials by organization"
        columns={COLUMNS}
        keyOf={(row) => row.cred_id}
        empty={
          <Empty
            title="No organization has a credential for this source."
            command={`datarun credential create --org ORG --source ${source.source} --stdin`}
          />
        }
        {...holders}
      />
    </Section>
  );
}
