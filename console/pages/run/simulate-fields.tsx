import { SelectField } from "../../parts/fields.tsx";
import type { Texts } from "../../parts/form-fields.ts";

/** The failures of a simulated vendor, by the value of the input `simulate`. */
const FAILURES = {
  no_record: "finds no record",
  slow: "responds after two seconds",
  timeout: "never responds",
  vendor_5xx: "responds with a server error (503)",
  vendor_4xx: "refuses the request (418)",
  rate_limited: "reports too many requests (429)",
  credential: "refuses the credential (401)",
  malformed: "sends half of its reply",
  connection_lost: "closes the connection",
} as const;

/** Names of the two choices among the texts of the inputs. Names of inputs contain no space. */
const WHAT = "simulate what";
const WHOM = "simulate whom";

/** The input that makes a simulated vendor fail; empty for ordinary replies. */
export function simulateInput(texts: Texts, sources: readonly string[]): Readonly<Record<string, unknown>> {
  const what = texts[WHAT] ?? "";
  const whom = texts[WHOM] ?? "";
  if (what === "" || (whom !== "" && !sources.includes(whom))) return {};
  return { simulate: whom === "" ? what : { [whom]: what } };
}

interface SimulateFieldsProps {
  readonly texts: Texts;
  readonly onText: (name: string, text: string) => void;
  readonly sources: readonly { readonly source: string; readonly title: string | null }[];
}

/** Lets simulated vendors fail on request, to show what a failure looks like. */
export function SimulateFields({ texts, onText, sources }: SimulateFieldsProps) {
  const whom = texts[WHOM] ?? "";
  return (
    <div class="filter" role="group" aria-label="Simulated failure">
      <SelectField
        label="Simulated vendor"
        value={sources.some(({ source }) => source === whom) ? whom : ""}
        onValue={(text) => onText(WHOM, text)}
        choices={[
          { value: "", label: "all of them" },
          ...sources.map(({ source, title }) => ({ value: source, label: title ?? source })),
        ]}
      />
      <SelectField
        label="Behaviour"
        value={texts[WHAT] ?? ""}
        onValue={(text) => onText(WHAT, text)}
        choices={[
          { value: "", label: "replies as in its cases" },
          ...Object.entries(FAILURES).map(([value, label]) => ({ value, label })),
        ]}
      />
    </div>
  );
}
