import { SelectField } from "../../parts/fields.tsx";
import { DAY_MS } from "../../parts/time-zone.ts";
import { Badge, Day } from "../../parts/values.tsx";

export const EXPIRY_DEFAULT = "90d";
/** Days before the expiry in which it is shown as a warning: enough time to replace the token. */
const SOON_DAYS = 14;

interface ExpiryFieldProps {
  /** A value for `expires_in` of the verbs; empty for no expiry. */
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function ExpiryField(props: ExpiryFieldProps) {
  return (
    <SelectField
      label="Expires"
      choices={[
        { value: "1d", label: "in a day" },
        { value: "30d", label: "in 30 days" },
        { value: "90d", label: "in 90 days" },
        { value: "365d", label: "in a year" },
        { value: "", label: "never" },
      ]}
      {...props}
    />
  );
}

/** The expiry of a token. An active token that expires soon has a warning. */
export function Expires({ at, state }: { readonly at: string | null; readonly state: string }) {
  if (at === null || state !== "active") return <Day at={at} />;
  const days = Math.floor((Date.parse(at) - Date.now()) / DAY_MS);
  return (
    <div>
      <Day at={at} />{" "}
      {days < SOON_DAYS && (
        <Badge kind="unknown">{days < 1 ? "within a day" : days === 1 ? "in a day" : `in ${days} days`}</Badge>
      )}
    </div>
  );
}
