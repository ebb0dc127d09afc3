import { useVerb } from "../../api/use-verb.ts";
import { SelectField } from "../../parts/fields.tsx";

interface OrganizationFieldProps {
  readonly value: string;
  readonly onValue: (id: string) => void;
  /** What stands for none of them; nothing can stand for none unless given. */
  readonly none?: string;
  readonly required?: boolean;
}

/** One of the organizations, by name. The one of the address is there even if it is not among the newest thousand. */
export function OrganizationField({ value, onValue, none = "All", required = false }: OrganizationFieldProps) {
  const organizations = useVerb("org list", { limit: 1_000 }).result?.organizations ?? [];
  const choices = organizations.map((one) => ({ value: one.organization_tuid, label: one.name }));
  const isKnown = value === "" || choices.some((choice) => choice.value === value);
  return (
    <SelectField
      label="Organization"
      name="org"
      value={value}
      required={required}
      choices={[{ value: "", label: none }, ...choices, ...(isKnown ? [] : [{ value, label: value }])]}
      onValue={onValue}
    />
  );
}
