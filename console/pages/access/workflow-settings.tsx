import { CheckField } from "../../parts/fields.tsx";

/** The settings of a workflow that may change in its life. */
export interface WorkflowSettings {
  readonly auto_credentials: boolean;
  readonly failure_details: boolean;
  readonly mask_credentials: boolean;
}

/** Of a new workflow. */
export const FIRST_SETTINGS: WorkflowSettings = {
  auto_credentials: false,
  failure_details: true,
  mask_credentials: false,
};

const SETTINGS: Readonly<Record<keyof WorkflowSettings, { readonly short: string; readonly long: string }>> = {
  auto_credentials: {
    short: "selects credentials",
    long: "Select credentials: a call takes the newest active one of the organization if its request names none",
  },
  failure_details: {
    short: "details of failures",
    long: "Details of failures: the answer says what kind of failure it was, whether to repeat it, and whether it was charged",
  },
  mask_credentials: {
    short: "masks credentials",
    long: "Mask credentials: those that came with a request are not repeated in its answer",
  },
};

const NAMES = Object.keys(SETTINGS) as (keyof WorkflowSettings)[];

interface SettingFieldsProps {
  readonly values: WorkflowSettings;
  readonly onValues: (values: WorkflowSettings) => void;
}

export function SettingFields({ values, onValues }: SettingFieldsProps) {
  return (
    <>
      {NAMES.map((name) => (
        <CheckField
          key={name}
          name={name}
          label={SETTINGS[name].long}
          checked={values[name]}
          onChecked={(checked) => onValues({ ...values, [name]: checked })}
        />
      ))}
    </>
  );
}

/** Those that are on, in a few words. */
export function saySettings(values: WorkflowSettings): string {
  return NAMES.filter((name) => values[name])
    .map((name) => SETTINGS[name].short)
    .join(", ");
}

/** What of it is another value than before. */
export function changedSettings(before: WorkflowSettings, now: WorkflowSettings): Partial<WorkflowSettings> {
  return Object.fromEntries(NAMES.filter((name) => before[name] !== now[name]).map((name) => [name, now[name]]));
}
