import { CheckField } from "../../parts/fields.tsx";

/** The settings of a workflow that can be changed. */
interface WorkflowSettings {
  readonly auto_credentials: boolean;
  readonly failure_details: boolean;
  readonly mask_credentials: boolean;
}

/** Settings of a new workflow. */
export const FIRST_SETTINGS: WorkflowSettings = {
  auto_credentials: false,
  failure_details: true,
  mask_credentials: false,
};

const SETTINGS: Readonly<Record<keyof WorkflowSettings, { readonly short: string; readonly long: string }>> = {
  auto_credentials: {
    short: "selects credentials",
    long: "Select credentials: a request that names no credential uses the newest active one of the organization",
  },
  failure_details: {
    short: "failure details",
    long: "Failure details: answers contain the kind of failure, whether to retry, and whether it was charged",
  },
  mask_credentials: {
    short: "masks credentials",
    long: "Mask credentials: answers do not repeat credentials from the request",
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

/** The enabled settings, as a short list. */
export function settingsText(values: WorkflowSettings): string {
  return NAMES.filter((name) => values[name])
    .map((name) => SETTINGS[name].short)
    .join(", ");
}

/** The settings with a changed value. */
export function changedSettings(before: WorkflowSettings, now: WorkflowSettings): Partial<WorkflowSettings> {
  return Object.fromEntries(NAMES.filter((name) => before[name] !== now[name]).map((name) => [name, now[name]]));
}
