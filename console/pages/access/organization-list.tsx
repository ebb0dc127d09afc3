import { useState } from "preact/hooks";
import { address, navigate, hrefOf, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { List } from "../../parts/list.tsx";
import { Named } from "../../parts/named.tsx";
import { ActiveState } from "../../parts/outcome.tsx";
import { Day } from "../../parts/values.tsx";

type Organization = RowOf<"org list", "organizations">;

/** All organizations, newest first, or those that match a search. `hrefOfOne` gives the link of each. */
export function OrganizationList({ hrefOfOne }: { readonly hrefOfOne: (id: string) => string }) {
  const find = address().query.get("find") ?? "";
  return (
    <>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Find an organization"
          hint="By name, or by the beginning of the id."
          type="search"
          value={find}
          onValue={(value) => setQuery({ find: value })}
        />
      </form>
      {find.trim() === "" ? <All hrefOfOne={hrefOfOne} /> : <Found text={find} hrefOfOne={hrefOfOne} />}
    </>
  );
}

function All({ hrefOfOne }: { readonly hrefOfOne: (id: string) => string }) {
  const list = useList("org list", {}, "organizations");
  return (
    <List
      caption="Organizations"
      columns={[
        {
          title: "Organization",
          show: ({ organization_tuid: id, name }: Organization) => <Named id={id} name={name} href={hrefOfOne(id)} />,
        },
        { title: "State", show: ({ disabled }) => <ActiveState disabled={disabled} /> },
        { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
      ]}
      keyOf={({ organization_tuid: id }) => id}
      empty={
        <Empty title="There is no organization yet." command={'datarun org create "Acme Lending"'}>
          An organization has workflows, access tokens, and its own credentials for vendors.
        </Empty>
      }
      {...list}
    />
  );
}

function Found({ text, hrefOfOne }: { readonly text: string; readonly hrefOfOne: (id: string) => string }) {
  const { result, ...asked } = useVerb("object find", { text: text.slice(0, 200) });
  const rows = result?.matches.filter(({ kind }) => kind === "organization");
  return (
    <List
      caption="Organizations that match"
      columns={[
        { title: "Organization", show: ({ id, name }) => <Named id={id} name={name ?? ""} href={hrefOfOne(id)} /> },
      ]}
      keyOf={({ id }) => id}
      empty={<Empty title="No organization has this name or id." command="datarun org list" />}
      rows={rows}
      {...asked}
    />
  );
}

export function CreateOrganization() {
  const [name, setName] = useState("");
  return (
    <FormAct
      verb="org create"
      kind="primary"
      label="New organization"
      does="Create"
      title="New organization"
      input={() => ({ name })}
      onOpen={() => setName("")}
      onDone={({ organization_tuid: org }) => navigate(hrefOf("/access", { org }))}
    >
      <TextField label="Name" hint="A display name. It can be changed later." value={name} onValue={setName} required />
    </FormAct>
  );
}
