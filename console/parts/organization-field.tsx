import { useState } from "preact/hooks";
import { useNames } from "../api/use-names.ts";
import { useVerb } from "../api/use-verb.ts";
import { ComboField, type FoundChoice } from "./combo-field.tsx";
import { useSettled } from "./use-settled.ts";

interface OrganizationFieldProps {
  readonly value: string;
  readonly onValue: (id: string) => void;
  /** Label of an additional choice for no organization. Without it, one must be chosen. */
  readonly none?: string;
  readonly required?: boolean;
}

/** Number of choices before anything is typed. */
export const NEWEST = 50;
/** The most matches that `object find` returns, of all kinds together. */
const FOUND_MAX = 20;
const TEXT_UNITS_MAX = 200;

/** A field that chooses one of any number of organizations by name or id. */
export function OrganizationField({ value, onValue, none, required = false }: OrganizationFieldProps) {
  const [text, search] = useState("");
  const [taken, take] = useState<FoundChoice>();
  const [asked] = useSettled(text.trim().slice(0, TEXT_UNITS_MAX));
  const newest = useVerb("org list", { limit: NEWEST });
  const found = useVerb("object find", asked === "" ? null : { text: asked });
  const names = useNames([value]);
  const isSearch = text.trim() !== "";
  const isSettled = isSearch
    ? asked === text.trim().slice(0, TEXT_UNITS_MAX) && (found.isCurrent || found.error !== undefined)
    : newest.result !== undefined;
  const choices: readonly FoundChoice[] = isSearch
    ? (found.result?.matches ?? []).flatMap(({ kind, id, name }) =>
        kind === "organization" ? [choiceOf(id, name ?? "")] : [],
      )
    : [
        ...(none === undefined ? [] : [{ value: "", label: none }]),
        ...(newest.result?.organizations ?? []).map((one) => choiceOf(one.organization_tuid, one.name, one.disabled)),
      ];
  const error = isSearch ? found.error : newest.error;
  return (
    <ComboField
      label="Organization"
      name="org"
      value={value}
      says={names?.get(value) ?? (taken?.value === value && value !== "" ? taken.label : names && value) ?? ""}
      placeholder={none ?? "Choose one"}
      required={required}
      onSearch={search}
      choices={choices}
      isSettled={isSettled}
      status={
        error !== undefined
          ? error.message
          : !isSettled
            ? "Searching…"
            : isSearch
              ? foundSays(choices.length, found.result?.matches.length ?? 0)
              : newest.result?.next === undefined
                ? ""
                : "These are the newest. Type a name or an id to find any other."
      }
      onValue={(id) => {
        // The choice already has the name, so it need not be requested.
        take(choices.find((choice) => choice.value === id));
        onValue(id);
      }}
    />
  );
}

function foundSays(shown: number, found: number): string {
  if (found >= FOUND_MAX) return `The first ${shown} are shown. Type more of the name.`;
  return shown > 0
    ? ""
    : "None was found. To find an older organization, type the beginning of its name or its complete id.";
}

function choiceOf(id: string, name: string, isDisabled = false): FoundChoice {
  const label = `${name === "" ? id : name}${isDisabled ? " (disabled)" : ""}`;
  return { value: id, label, ...(name !== "" && { note: id }) };
}
