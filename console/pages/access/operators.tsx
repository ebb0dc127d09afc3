import { useState } from "preact/hooks";
import { address } from "../../address.ts";
import { useListWith } from "../../api/use-list-with.ts";
import type { InputOf, ResultOf, RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Empty } from "../../parts/empty.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { List } from "../../parts/list.tsx";
import { Named } from "../../parts/named.tsx";
import { Section } from "../../parts/page.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { Day, Time } from "../../parts/values.tsx";
import { mayUse, session } from "../../session.ts";
import { EXPIRY_DEFAULT, ExpiryField, Expires } from "./expiry.tsx";
import { TokenState } from "./token-state.tsx";

type Made = ResultOf<"operator create"> & { readonly name: string };
type Operator = RowOf<"operator list", "operators">;
type Role = InputOf<"operator create">["role"];

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: "viewer", label: "viewer: reads everything but secrets" },
  { value: "operator", label: "operator: also runs things, and changes what callers use" },
  { value: "owner", label: "owner: also operators, money, keys and old records" },
];

/** Who may use this console and the admin API. A new operator's token is shown once, above the list. */
export function Operators() {
  const named = address().query.get("operator");
  const list = useListWith("operator list", {}, "operators", { key: "operator_id", id: named });
  const [made, setMade] = useState<Made>();
  return (
    <Section
      title="Operators"
      actions={
        <CreateOperator
          onDone={(result) => {
            setMade(result);
            list.reload();
          }}
        />
      }
    >
      {!mayUse("operator create") && (
        <p class="dim">Operators are created and revoked by owners, in a console that is not read-only.</p>
      )}
      {made && (
        <ShownOnce
          title={
            <>
              The operator token of <bdi>{made.name}</bdi>
            </>
          }
          secret={made.operator_token}
          onDone={() => setMade(undefined)}
        >
          {" "}
          With it <bdi>{made.name}</bdi> logs in here, or uses the commands with <code>--remote</code>.
        </ShownOnce>
      )}
      <List
        caption="Operators"
        columns={[
          { title: "Operator", show: ({ operator_id: id, name }: Operator) => <Named id={id} name={name} /> },
          { title: "Role", show: ({ role }) => role },
          { title: "State", show: ({ state, revoked_at: at }) => <TokenState state={state} revokedAt={at} /> },
          { title: "Last used", show: ({ last_used_at: at }) => <Time at={at} /> },
          { title: "Expires", show: ({ expires_at: at, state }) => <Expires at={at} state={state} /> },
          { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
          {
            title: "Actions",
            show: (one) => (
              <RowActs>
                {one.state === "active" && <Revoke operator={one} onDone={list.reload} />}
                {one.state === "revoked" && one.login === "identity_provider" && (
                  <Restore operator={one} onDone={list.reload} />
                )}
              </RowActs>
            ),
          },
        ]}
        keyOf={({ operator_id: id }) => id}
        current={named ?? undefined}
        empty={<Empty title="There is no operator." command="datarun operator create ada@acme.example --role owner" />}
        {...list}
      />
    </Section>
  );
}

function CreateOperator({ onDone }: { readonly onDone: (made: Made) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [expiry, setExpiry] = useState(EXPIRY_DEFAULT);
  return (
    <FormAct
      verb="operator create"
      label="New operator"
      does="Create"
      title="New operator"
      input={() => ({ name: name.trim(), role, ...(expiry !== "" && { expires_in: expiry }) })}
      onOpen={() => {
        setName("");
        setRole("viewer");
        setExpiry(EXPIRY_DEFAULT);
      }}
      onDone={(result) => onDone({ ...result, name: name.trim() })}
    >
      <TextField
        label="Name"
        hint="Of the person or program, as the audit trail will show it: letters, digits and . _ @ + -"
        value={name}
        onValue={setName}
        required
      />
      <SelectField label="Role" choices={ROLES} value={role} onValue={(value) => setRole(value as Role)} />
      <ExpiryField value={expiry} onValue={setExpiry} />
      <p class="dim">The token is shown once, when it has been made.</p>
    </FormAct>
  );
}

interface OperatorActProps {
  readonly operator: Operator;
  readonly onDone: () => void;
}

/** The token of an operator who has one stays revoked; who comes from the identity provider can be let in again. */
function Restore({ operator: { name, operator_id: operator }, onDone }: OperatorActProps) {
  return (
    <Act
      verb="operator restore"
      input={{ operator }}
      label="Restore"
      asks={{
        title: (
          <>
            Let <bdi>{name}</bdi> log in again?
          </>
        ),
        says: (
          <p>
            From now on <bdi>{name}</bdi> can log in at the identity provider again, with the role that the groups there
            give then. Sessions from before stay ended. The audit trail keeps that <bdi>{name}</bdi> was revoked.
          </p>
        ),
      }}
      onDone={onDone}
    />
  );
}

function Revoke({ operator: { name, role, login, operator_id: operator }, onDone }: OperatorActProps) {
  return (
    <Act
      verb="operator revoke"
      input={{ operator }}
      label="Revoke"
      isDangerous
      asks={{
        title: (
          <>
            Revoke <bdi>{name}</bdi>?
          </>
        ),
        says: (
          <>
            {name === session.value?.name && (
              <p>
                <strong>This is you: you will be logged out.</strong>
              </p>
            )}
            <p>
              From the next request on, <bdi>{name}</bdi> ({role}) can neither use this console nor the admin API, on
              all machines. What <bdi>{name}</bdi> has done stays in the audit trail.{" "}
              {login === "identity_provider"
                ? "An owner can let them log in again."
                : "It cannot be undone; the name can be given to a new operator."}
            </p>
          </>
        ),
      }}
      onDone={onDone}
    />
  );
}
