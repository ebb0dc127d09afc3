import { SelectField } from "../../parts/fields.tsx";
import type { Texts } from "../../parts/schema-fields.ts";

/** What a simulated vendor can be asked to do, by the value of the input `simulate`. */
const FAILURES = {
  no_record: "finds nobody",
  slow: "answers after two seconds",
  timeout: "never answers",
  vendor_5xx: "fails on its side (503)",
  vendor_4xx: "refuses the request (418)",
  rate_limited: "says there were too many requests (429)",
  credential: "refuses the credential (401)",
  malformed: "sends half of its answer",
  connection_lost: "closes the connection",
} as const;

/** Where the two are kept, beside the texts of the inputs. No input has a name with a blank. */
const WHAT = "simulate what";
const WHOM = "simulate whom";

/** The input by which a simulated vendor fails; nothing for answers as usual. */
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

/** In a simulated run, vendors fail on request: so one sees beforehand what a failure looks like. */
export function SimulateFields({ texts, onText, sources }: SimulateFieldsProps) {
  const whom = texts[WHOM] ?? "";
  return (
    <div class="filter" role="group" aria-label="A failure to simulate">
      <SelectField
        label="Simulated vendor"
        value={sources.some(({ source }) => source === whom) ? whom : ""}
        onValue={(text) => onText(WHOM, text)}
        choices={[
          { value: "", label: "each of them" },
          ...sources.map(({ source, title }) => ({ value: source, label: title ?? source })),
        ]}
      />
      <SelectField
        label="What it does"
        value={texts[WHAT] ?? ""}
        onValue={(text) => onText(WHAT, text)}
        choices={[
          { value: "", label: "answers as in its cases" },
          ...Object.entries(FAILURES).map(([value, label]) => ({ value, label })),
        ]}
      />
    </div>
  );
}
