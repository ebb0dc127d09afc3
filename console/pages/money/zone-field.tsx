import { SelectField } from "../../parts/fields.tsx";

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

interface ZoneFieldProps {
  readonly value: string;
  readonly onValue: (zone: string) => void;
}

/** The time zone in which days and months begin. */
export function ZoneField({ value, onValue }: ZoneFieldProps) {
  const known = ZONES.includes(value) ? ZONES : [value, ...ZONES];
  return (
    <SelectField
      label="Time zone"
      value={value}
      choices={known.map((name) => ({ value: name, label: name }))}
      onValue={onValue}
    />
  );
}
