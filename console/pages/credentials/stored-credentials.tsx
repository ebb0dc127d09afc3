import { address, hrefOf } from "../../address.ts";
import { useListWith } from "../../api/use-list-with.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { Id, Time } from "../../parts/values.tsx";
import { Age } from "./age.tsx";
import { VerifyCredential } from "./verify-credential.tsx";
import "./credentials.css";

type Credential = RowOf<"credential list", "credentials">;

interface StoredCredentialsProps {
  readonly org: string;
  /** The name of the organization. */
  readonly name: string;
}

/** The stored credentials of an organization, without their values. */
export function StoredCredentials({ org, name }: StoredCredentialsProps) {
  const named = { key: "cred_id", id: address().query.get("credential") } as const;
  const list = useListWith("credential list", { org }, "credentials", named);
  return (
    <List
      caption="Stored credentials"
      columns={[
        { title: "Source", show: (one: Credential) => <SourceOf credential={one} /> },
        { title: "Fields", show: ({ fields }) => <FieldNames names={fields} /> },
        { title: "Used in", show: (one) => <UsedIn credential={one} /> },
        { title: "State", show: (one) => <State credential={one} /> },
        {
          title: "Last used",
          show: ({ last_used_at: at }) =>
            at === undefined ? (
              <span class="dim">unknown at the moment</span>
            ) : (
              <Time at={at} none="not in the ledger" />
            ),
        },
        { title: "Age", show: ({ created_at: at }) => <Age since={at} /> },
        { title: "Actions", show: (one) => <Acts credential={one} of={name} onDone={list.reload} /> },
      ]}
      keyOf={({ cred_id: id }) => id}
      current={named.id ?? undefined}
      empty={
        <Empty
          title="This organization has no stored credential."
          command={`datarun credential create --org ${org} --source SOURCE --set-env api_key=KEY --default`}
        >
          Sources that need a credential find it here, or in each request.
        </Empty>
      }
      {...list}
    />
  );
}

function SourceOf({ credential: { source, cred_id, note } }: { readonly credential: Credential }) {
  return (
    <div class="credential-source">
      <a href={hrefOf(`/sources/${encodeURIComponent(source)}`)}>{source}</a>
      <span class="dim">
        <Id>{cred_id}</Id>
      </span>
      {note && <bdi>{note}</bdi>}
    </div>
  );
}

function FieldNames({ names }: { readonly names: readonly string[] | null | undefined }) {
  if (!names) return <span class="dim">not recorded</span>;
  return <code>{names.join(", ")}</code>;
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
      {disabled ? <Outcome kind="off" says="disabled" /> : <Outcome kind="found" says="active" />}
      {isDefault && <div>default</div>}
    </div>
  );
}

interface ActsProps {
  readonly credential: Credential;
  readonly of: string;
  readonly onDone: () => void;
}

function Acts({ credential, of, onDone }: ActsProps) {
  const { cred_id, source, disabled, last_used_at: usedAt } = credential;
  const whose = (
    <p>
      {cred_id} for {source}, owned by <bdi>{of}</bdi>. Last used: <Time at={usedAt} none="not in the ledger" />.
    </p>
  );
  return (
    <RowActs>
      {!disabled && <VerifyCredential credential={cred_id} source={source} />}
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
