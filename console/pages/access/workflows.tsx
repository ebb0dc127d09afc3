import { useState } from "preact/hooks";
import { address } from "../../address.ts";
import { type ListWithRow, useListWith } from "../../api/use-list-with.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Empty } from "../../parts/empty.tsx";
import { CheckField, TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { List } from "../../parts/list.tsx";
import { Named } from "../../parts/named.tsx";
import { ActiveState } from "../../parts/outcome.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { Section } from "../../parts/page.tsx";
import { Badge, Day } from "../../parts/values.tsx";
import { changedSettings, FIRST_SETTINGS, settingsText, SettingFields } from "./workflow-settings.tsx";

type Workflow = RowOf<"workflow list", "workflows">;

/** The workflows of an organization, and the workflow that the address names. */
export function useWorkflows(org: string): ListWithRow<Workflow> {
  return useListWith("workflow list", { org }, "workflows", { key: "workflow", id: address().query.get("workflow") });
}

export function Workflows({ org, list }: { readonly org: string; readonly list: ListWithRow<Workflow> }) {
  return (
    <Section title="Workflows" actions={<CreateWorkflow org={org} onDone={list.reload} />}>
      <List
        caption="Workflows"
        columns={[
          { title: "Workflow", show: ({ workflow, name }: Workflow) => <Named id={workflow} name={name} /> },
          { title: "Mode", show: ({ simulated }) => <Mode simulated={simulated} /> },
          { title: "Settings", show: (one) => settingsText(one) || <span class="dim">none</span> },
          { title: "State", show: ({ disabled }) => <ActiveState disabled={disabled} /> },
          { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
          { title: "Actions", show: (one) => <Acts of={one} onDone={list.reload} /> },
        ]}
        keyOf={({ workflow }) => workflow}
        current={address().query.get("workflow") ?? undefined}
        empty={
          <Empty
            title="This organization has no workflow yet."
            command={`datarun workflow create --org ${org} --name onboarding`}
          >
            Every request names a workflow. The id of a workflow is not secret.
          </Empty>
        }
        {...list}
      />
    </Section>
  );
}

export function Mode({ simulated }: { readonly simulated: boolean }) {
  return <div>{simulated ? <Badge kind="simulated">simulated</Badge> : <Badge kind="live">live</Badge>}</div>;
}

function CreateWorkflow({ org, onDone }: { readonly org: string; readonly onDone: () => void }) {
  const [name, setName] = useState("");
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const [simulated, setSimulated] = useState(false);
  return (
    <FormAct
      verb="workflow create"
      label="New workflow"
      does="Create"
      title="New workflow"
      input={() => ({ org, ...(name.trim() !== "" && { name }), ...settings, simulated })}
      onOpen={() => {
        setName("");
        setSettings(FIRST_SETTINGS);
        setSimulated(false);
      }}
      onDone={onDone}
    >
      <TextField
        label="Name"
        hint="The purpose of its requests. It can be changed later."
        value={name}
        onValue={setName}
      />
      <SettingFields values={settings} onValues={setSettings} />
      <CheckField
        name="simulated"
        label="Simulated: calls no vendor, costs nothing, and marks its answers. This cannot be changed later."
        checked={simulated}
        onChecked={setSimulated}
      />
    </FormAct>
  );
}

function Acts({ of, onDone }: { readonly of: Workflow; readonly onDone: () => void }) {
  const { workflow, name, disabled, simulated } = of;
  const [text, setText] = useState(name);
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const called = <bdi>{name === "" ? workflow : name}</bdi>;
  return (
    <RowActs>
      <FormAct
        verb="workflow set"
        label="Settings"
        does="Save"
        title={<>Settings of {called}</>}
        input={() => {
          const changes = {
            ...changedSettings(of, settings),
            ...(text !== name && text.trim() !== "" && { name: text }),
          };
          return Object.keys(changes).length === 0 ? null : { workflow, ...changes };
        }}
        onOpen={() => {
          setText(name);
          setSettings(of);
        }}
        onDone={onDone}
      >
        <TextField label="Name" value={text} onValue={setText} />
        <SettingFields values={settings} onValues={setSettings} />
        <p class="dim">
          This workflow is {simulated ? "simulated" : "live"}. This cannot be changed. For the other mode, create
          another workflow.
        </p>
      </FormAct>
      {disabled ? (
        <Act verb="workflow enable" input={{ workflow }} label="Enable" onDone={onDone} />
      ) : (
        <Act
          verb="workflow disable"
          input={{ workflow }}
          label="Disable"
          isDangerous
          asks={{
            title: <>Disable {called}?</>,
            says: (
              <p>
                Within a second, every request that names {called} gets 401, on all machines. Runs in progress are
                completed. It can be enabled again.
              </p>
            ),
          }}
          onDone={onDone}
        />
      )}
    </RowActs>
  );
}
