import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useListWith } from "../../api/use-list-with.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { CredentialName } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { ActiveState } from "../../parts/outcome.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { ShortId } from "../../parts/short-id.tsx";
import { FilterButtons, useDraft } from "../../parts/filter-form.tsx";
import { UseOverTime } from "../../parts/use-over-time.tsx";
import { Time } from "../../parts/values.tsx";
import { Age } from "./age.tsx";
import { VerifyCredential } from "./verify-credential.tsx";
import "./credentials.css";

type Credential = RowOf<"credential list", "credentials">;

interface StoredCredentialsProps {
  /** `null`: of all organizations. */
  readonly org: string | null;
}

/** Stored credentials that match the filter in the address, without their values. */
export function StoredCredentials({ org }: StoredCredentialsProps) {
  const { query } = address();
  const named = { key: "cred_id", id: query.get("credential") } as const;
  const [source, name] = [query.get("source") ?? "", (query.get("name") ?? "").trim()];
  const filter = { ...(org && { org }), ...(source && { source }), ...(name && { name }) };
  const list = useListWith("credential list", filter, "credentials", named);
  const isFiltered = source !== "" || name !== "";
  return (
    <List
      caption="Stored credentials"
      columns={[
        { title: "Credential", show: (one: Credential) => <SourceOf credential={one} /> },
        ...(org === null
          ? [
              {
                title: "Organization",
                show: ({ organization_tuid: id, organization }: Credential) => (
                  <ObjectLink id={id} name={organization} />
                ),
              },
            ]
          : []),
        { title: "Fields", show: ({ fields, references }) => <FieldNames names={fields} kept={references ?? {}} /> },
        { title: "Used in", show: (one) => <UsedIn credential={one} /> },
        { title: "State", show: (one) => <State credential={one} /> },
        {
          title: "Last used",
          show: ({ last_used_at: at, created_at: since }) => (
            <div>
              {at === undefined ? (
                <span class="dim">unknown at the moment</span>
              ) : (
                <Time at={at} none="not in the ledger" />
              )}
              <div class="dim">
                age: <Age since={since} />
              </div>
            </div>
          ),
        },
        { title: "Actions", show: (one) => <Acts credential={one} onDone={list.reload} /> },
      ]}
      keyOf={({ cred_id: id }) => id}
      current={named.id ?? undefined}
      empty={
        isFiltered ? (
          <Empty title="No credential matches the filter." command={commandOf("credential list", filter)} />
        ) : (
          <Empty
            title="This organization has no stored credential."
            command={`datarun credential create --org ${org ?? "ORG"} --source SOURCE --set-env api_key=KEY --default`}
          >
            Sources that need a credential find it here, or in each request.
          </Empty>
        )
      }
      {...list}
    />
  );
}

/** Narrows the list by organization, source and name. */
export function CredentialFilter() {
  const { query } = address();
  const given = { source: query.get("source") ?? "", name: query.get("name") ?? "" };
  const [draft, setDraft] = useDraft(given);
  const sources = useVerb("source list", {}).result?.sources.filter(({ credential }) => credential !== "none") ?? [];
  const isSet = given.source !== "" || given.name !== "";
  return (
    <form
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery(
          { source: draft.source.trim() || null, name: draft.name.trim() || null, credential: null },
          { remember: true },
        );
      }}
    >
      <OrganizationField
        value={query.get("org") ?? ""}
        none="All"
        onValue={(org) => setQuery({ org: org || null, credential: null }, { remember: true })}
      />
      <TextField
        label="Source"
        list={sources.map(({ source }) => source)}
        value={draft.source}
        onValue={(source) => setDraft({ ...draft, source })}
      />
      <TextField label="Name" value={draft.name} onValue={(name) => setDraft({ ...draft, name })} />
      <FilterButtons
        isFiltered={isSet}
        clears="Clear"
        onClear={() => setQuery({ source: null, name: null }, { remember: true })}
      />
    </form>
  );
}

function SourceOf({ credential: { source, cred_id, name, note } }: { readonly credential: Credential }) {
  return (
    <div class="credential-source">
      {name !== null && (
        <strong class="named-name" title={name}>
          <bdi>{name}</bdi>
        </strong>
      )}
      <a href={hrefOf(`/sources/${encodeURIComponent(source)}`)}>{source}</a>
      <span class="dim">
        <ShortId id={cred_id} />
      </span>
      {note && <bdi>{note}</bdi>}
    </div>
  );
}

interface FieldNamesProps {
  readonly names: readonly string[] | null | undefined;
  /** Where the values of fields are that are kept elsewhere. */
  readonly kept: Readonly<Record<string, string>>;
}

function FieldNames({ names, kept }: FieldNamesProps) {
  if (!names) return <span class="dim">not recorded</span>;
  return (
    <div>
      <code>{names.join(", ")}</code>
      {Object.entries(kept).map(([name, reference]) => (
        <div key={name} class="dim">
          {name} from <bdi>{reference}</bdi>
        </div>
      ))}
    </div>
  );
}

function UsedIn({ credential: { contexts, regions } }: { readonly credential: Credential }) {
  return (
    <div>
      {contexts[0] === "every" ? "all contexts" : contexts.join(", ")}
      {regions[0] !== "every" && <div>in {regions.join(", ")}</div>}
    </div>
  );
}

function State({ credential: { disabled, default: isDefault } }: { readonly credential: Credential }) {
  return (
    <div>
      <ActiveState disabled={disabled} />
      {isDefault && <div>default</div>}
    </div>
  );
}

interface ActsProps {
  readonly credential: Credential;
  readonly onDone: () => void;
}

function Acts({ credential, onDone }: ActsProps) {
  const { cred_id, source, name, organization, disabled, last_used_at: usedAt } = credential;
  const whose = (
    <>
      <p>
        <CredentialName id={cred_id} name={name} /> for {source}, owned by <bdi>{organization}</bdi>. Last used:{" "}
        <Time at={usedAt} none="not in the ledger" />.
      </p>
      <UseOverTime of={{ credential: cred_id }} />
    </>
  );
  return (
    <RowActs>
      {!disabled && <VerifyCredential credential={cred_id} name={name} source={source} />}
      <Rename credential={credential} onDone={onDone} />
      {disabled ? (
        <Act verb="credential enable" input={{ cred_id }} label="Enable" onDone={onDone} />
      ) : (
        <Act
          verb="credential disable"
          input={{ cred_id }}
          label="Disable"
          asks={{
            title: `Disable the credential for ${source}?`,
            says: (
              <>
                {whose}
                <p>
                  Within a second, no run uses this credential. Workflows that select credentials use the next active
                  one, and other workflows the default, which may belong to another contract. Requests that name this
                  credential fail. It can be enabled again.
                </p>
              </>
            ),
          }}
          onDone={onDone}
        />
      )}
      <Act
        verb="credential delete"
        input={{ cred_id }}
        label="Delete"
        isDangerous
        asks={{
          title: `Delete the credential for ${source}?`,
          says: (
            <>
              {whose}
              <p>
                The encrypted fields are erased from the store. This cannot be undone. Runs that select a credential use
                another one or fail, and requests that name this one fail. The ledger keeps its id.
              </p>
            </>
          ),
        }}
        onDone={onDone}
      />
    </RowActs>
  );
}

function Rename({ credential: { cred_id, source, name }, onDone }: ActsProps) {
  const [text, setText] = useState(name ?? "");
  return (
    <FormAct
      verb="credential rename"
      label="Rename"
      does="Rename"
      title={`Name of a credential for ${source}`}
      input={() =>
        text.trim() === (name ?? "") ? null : { cred_id, ...(text.trim() !== "" && { name: text.trim() }) }
      }
      onOpen={() => setText(name ?? "")}
      onDone={onDone}
    >
      <TextField
        label="Name"
        hint="Shown wherever the credential is, such as the contract or account that it belongs to. Empty: none."
        value={text}
        onValue={setText}
      />
    </FormAct>
  );
}
