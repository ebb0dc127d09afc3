import { useState } from "preact/hooks";
import { address, setQuery } from "../../address.ts";
import { type ListWithRow, useListWith } from "../../api/use-list-with.ts";
import type { ResultOf, RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Empty } from "../../parts/empty.tsx";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { List } from "../../parts/list.tsx";
import { Named } from "../../parts/named.tsx";
import { Section } from "../../parts/page.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { UseOverTime } from "../../parts/use-over-time.tsx";
import { Day, Time } from "../../parts/values.tsx";
import { EXPIRY_DEFAULT, ExpiryField, Expires } from "./expiry.tsx";
import { TokenState } from "./token-state.tsx";

type Token = RowOf<"token list", "tokens">;

/** The tokens of an organization, and the token that the address names. */
export function useTokens(org: string): ListWithRow<Token> {
  const named = { key: "token_id", id: address().query.get("token") } as const;
  return useListWith("token list", isOfAll() ? { org } : { org, state: "active" }, "tokens", named);
}

/**
 * Every run that an operator starts leaves a revoked token, so revoked tokens are hidden unless the address names one.
 */
function isOfAll(): boolean {
  const { query } = address();
  return query.get("tokens") === "all" || query.has("token");
}

interface TokensProps {
  readonly org: string;
  readonly name: string;
  readonly list: ListWithRow<Token>;
}

/** The tokens of an organization. A new token is shown once, above the list. */
export function Tokens({ org, name, list }: TokensProps) {
  const isAll = isOfAll();
  const [made, setMade] = useState<ResultOf<"token create">>();
  return (
    <Section
      title="Tokens"
      actions={
        <>
          <CheckField
            label="Show revoked and expired tokens"
            checked={isAll}
            onChecked={(checked) => setQuery({ tokens: checked ? "all" : null, token: null })}
          />
          <CreateToken
            org={org}
            onDone={(result) => {
              setMade(result);
              list.reload();
            }}
          />
        </>
      }
    >
      {made && (
        <ShownOnce title="The new access token" secret={made.access_token} onDone={() => setMade(undefined)}>
          Give it, over a channel for secrets, to the program of <bdi>{name}</bdi> that calls the service.
        </ShownOnce>
      )}
      <List
        caption="Access tokens"
        columns={[
          { title: "Token", show: ({ token_id: id, name: of }: Token) => <Named id={id} name={of} /> },
          { title: "State", show: ({ state, revoked_at: at }) => <TokenState state={state} revokedAt={at} /> },
          { title: "Last used", show: ({ last_used_at: at }) => <Time at={at} /> },
          { title: "Expires", show: ({ expires_at: at, state }) => <Expires at={at} state={state} /> },
          { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
          {
            title: "Actions",
            show: (one) =>
              one.state === "active" && (
                <RowActs>
                  <Revoke token={one} of={name} onDone={list.reload} />
                </RowActs>
              ),
          },
        ]}
        keyOf={({ token_id: id }) => id}
        current={address().query.get("token") ?? undefined}
        empty={
          <Empty
            title={isAll ? "This organization has no tokens yet." : "This organization has no active token."}
            command={`datarun token create --org ${org} --name server --expires-in 90d`}
          >
            A program needs a token to send requests for <bdi>{name}</bdi>.
          </Empty>
        }
        {...list}
      />
    </Section>
  );
}

function CreateToken({
  org,
  onDone,
}: {
  readonly org: string;
  readonly onDone: (made: ResultOf<"token create">) => void;
}) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState(EXPIRY_DEFAULT);
  return (
    <FormAct
      verb="token create"
      label="New token"
      does="Create"
      title="New access token"
      input={() => ({ org, ...(name.trim() !== "" && { name }), ...(expiry !== "" && { expires_in: expiry }) })}
      onOpen={() => {
        setName("");
        setExpiry(EXPIRY_DEFAULT);
      }}
      onDone={onDone}
    >
      <TextField label="Name" hint="The program that uses it." value={name} onValue={setName} />
      <ExpiryField value={expiry} onValue={setExpiry} />
      <p class="dim">The token is shown only once, after it is created.</p>
    </FormAct>
  );
}

function Revoke({ token, of, onDone }: { readonly token: Token; readonly of: string; readonly onDone: () => void }) {
  const { token_id, name, last_used_at: usedAt } = token;
  return (
    <Act
      verb="token revoke"
      input={{ token_id }}
      label="Revoke"
      isDangerous
      asks={{
        title: <>Revoke {name === "" ? "this token" : <bdi>{name}</bdi>}?</>,
        says: (
          <>
            <p>
              Within a second, every request of <bdi>{of}</bdi> with this token gets 401, on all machines. Runs in
              progress are completed. This cannot be undone.
            </p>
            <UseOverTime of={{ token: token_id }} />
            <p>
              Last used: <Time at={usedAt} />. A program that still uses it needs another token first.
            </p>
          </>
        ),
      }}
      onDone={onDone}
    />
  );
}
