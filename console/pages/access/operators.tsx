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
  { value: "viewer", label: "viewer: reads everything except secrets" },
  { value: "operator", label: "operator: also starts runs and manages workflows, tokens and credentials" },
  { value: "owner", label: "owner: also manages operators, prices, budgets, keys and old records" },
];

/** The operators of this deployment. The token of a new operator is shown once, above the list. */
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
        <p class="dim">Creating and revoking operators requires the role owner and a console that is not read-only.</p>
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
      kind="primary"
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
        hint="The name of a person or program, as the audit trail shows it. Allowed: letters, digits and . _ @ + -"
        value={name}
        onValue={setName}
        required
      />
      <SelectField label="Role" choices={ROLES} value={role} onValue={(value) => setRole(value as Role)} />
      <ExpiryField value={expiry} onValue={setExpiry} />
      <p class="dim">The token is shown only once, after it is created.</p>
    </FormAct>
  );
}

interface OperatorActProps {
  readonly operator: Operator;
  readonly onDone: () => void;
}

/**
 * Lets an operator of the identity provider log in again. Operators with a token have no such action, because a revoked
 * token stays revoked.
 */
function Restore({ operator: { name, operator_id: operator }, onDone }: OperatorActProps) {
  return (
    <Act
      verb="operator restore"
      input={{ operator }}
      label="Restore"
      asks={{
        title: (
          <>
            Allow <bdi>{name}</bdi> to log in again?
          </>
        ),
        says: (
          <p>
            From now on, <bdi>{name}</bdi> can log in with the identity provider again. The role follows from the groups
            at the next login. Earlier sessions stay ended. The audit trail keeps the revocation of <bdi>{name}</bdi>.
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
              From the next request on, on all machines, <bdi>{name}</bdi> ({role}) has no access to this console and
              the admin API. The actions of <bdi>{name}</bdi> stay in the audit trail.{" "}
              {login === "identity_provider"
                ? "An owner can restore the access."
                : "This cannot be undone. The name can be given to a new operator."}
            </p>
          </>
        ),
      }}
      onDone={onDone}
    />
  );
}
