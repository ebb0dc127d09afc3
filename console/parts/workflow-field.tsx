import { useState } from "preact/hooks";
import { useNames } from "../api/use-names.ts";
import { useVerb } from "../api/use-verb.ts";
import type { RowOf } from "../api/verb-types.ts";
import { ComboField, type FoundChoice } from "./combo-field.tsx";
import { NEWEST } from "./organization-field.tsx";
import { useSettled } from "./use-settled.ts";

type Workflow = RowOf<"workflow list", "workflows">;

interface WorkflowFieldProps {
  /** The organization of the workflows; `undefined` while there is none. */
  readonly org: string | undefined;
  readonly value: string;
  /** The label of the chosen workflow, if the caller knows it. */
  readonly says?: string | undefined;
  readonly onValue: (id: string) => void;
  /** Label of an additional choice for no workflow. */
  readonly none?: string;
  readonly labelOf?: (workflow: Workflow) => string;
}

/** A field that chooses one of any number of workflows of an organization: by the beginning of its name, or by its id. */
export function WorkflowField({ org, value, says, onValue, none, labelOf = nameOf }: WorkflowFieldProps) {
  const [text, search] = useState("");
  const [asked] = useSettled(text.trim().slice(0, 200));
  const isId = asked.startsWith("wfl_");
  const list = useVerb(
    "workflow list",
    org === undefined ? null : { org, limit: NEWEST, ...(asked !== "" && (isId ? { id: asked } : { name: asked })) },
  );
  const names = useNames(says === undefined ? [value] : []);
  const isSettled = asked === text.trim().slice(0, 200) && (list.isCurrent || list.error !== undefined);
  const found = (list.result?.workflows ?? []).map((one): FoundChoice => ({
    value: one.workflow,
    label: labelOf(one),
    ...(one.name !== "" && { note: one.workflow }),
  }));
  const choices = none === undefined || asked !== "" ? found : [{ value: "", label: none }, ...found];
  return (
    <ComboField
      label="Workflow"
      name="workflow"
      value={value}
      says={says ?? names?.get(value) ?? value}
      placeholder={none ?? "Choose one"}
      onSearch={search}
      choices={choices}
      isSettled={isSettled}
      status={
        list.error?.message ??
        (!isSettled
          ? "Searching…"
          : list.result?.next !== undefined
            ? "These are the newest. Type the beginning of a name or an id to find any other."
            : found.length === 0
              ? "No workflow has a name or an id that begins like this."
              : "")
      }
      onValue={onValue}
    />
  );
}

function nameOf({ workflow, name }: Pick<Workflow, "workflow" | "name">): string {
  return name === "" ? workflow : name;
}

/** The label of a workflow where it matters whether its runs call vendors. */
export function nameAndMode(of: Pick<Workflow, "workflow" | "name" | "simulated" | "disabled">): string {
  return `${nameOf(of)} (${of.simulated ? "simulated" : "live"}${of.disabled ? ", disabled" : ""})`;
}
