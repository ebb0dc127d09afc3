import { setQuery } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import { SelectField, TextField, type Choice } from "../../parts/fields.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { WorkflowField } from "../../parts/workflow-field.tsx";
import { FilterButtons, useDraft } from "../../parts/filter-form.tsx";
import { FAULT_NAMES } from "./fault-words.ts";
import { type Filter, type FilterName, FILTERS } from "./filter.ts";

interface RunsFilterProps {
  readonly filter: Filter;
  readonly isFiltered: boolean;
}

/** The filter of a list of runs. A choice takes effect at once, typed text with Enter. */
export function RunsFilter({ filter, isFiltered }: RunsFilterProps) {
  const [draft, setDraft] = useDraft<Readonly<Partial<Record<FilterName, string>>>>(filter);
  const org = draft.org ?? "";
  const isId = /^org_[0-9a-z]+$/.test(org);
  const sources = useVerb("source list", {}).result?.sources ?? [];
  const functions = useVerb("function list", {}).result?.functions ?? [];

  const apply = (changes: Readonly<Partial<Record<FilterName, string | null>>>) =>
    setQuery(changesOf({ ...draft, ...changes }), { remember: true });
  const typed = (name: FilterName) => ({
    name,
    value: draft[name] ?? "",
    onValue: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  /** A version belongs to its function or source, so another one has none. */
  const ofVersions = (name: "function" | "source") => ({
    ...typed(name),
    onValue: (value: string) => setDraft({ ...draft, [name]: value, [`${name}_version`]: "" }),
  });
  const chosen = (name: FilterName) => ({
    name,
    value: draft[name] ?? "",
    onValue: (value: string) => apply({ [name]: value }),
  });
  const hasVersion = (name: "function" | "source") => (draft[name] ?? "") + (draft[`${name}_version`] ?? "") !== "";
  return (
    <>
      <a class="skip" href="#runs">
        Skip to the runs
      </a>
      <form
        class="filter runs-filter"
        aria-label="Filter"
        onSubmit={(event) => {
          event.preventDefault();
          apply({});
        }}
      >
        <OrganizationField value={org} none="any" onValue={(value) => apply({ org: value, workflow: null })} />
        {org !== "" && (
          <WorkflowField
            org={isId ? org : undefined}
            none="any"
            value={draft.workflow ?? ""}
            onValue={(workflow) => apply({ workflow })}
          />
        )}
        <TextField
          label="Function"
          list={functions.map(({ function: id }) => id)}
          placeholder="any"
          {...ofVersions("function")}
        />
        {hasVersion("function") && (
          <TextField label="Function version" placeholder="any" {...typed("function_version")} />
        )}
        <TextField
          label="Source"
          list={sources.map(({ source }) => source)}
          placeholder="any"
          {...ofVersions("source")}
        />
        {hasVersion("source") && <TextField label="Source version" placeholder="any" {...typed("source_version")} />}
        <SelectField label="Outcome" choices={OUTCOMES} {...chosen("outcome")} />
        <SelectField label="Failure" choices={FAILURES} {...chosen("failure")} />
        <SelectField label="Charge" choices={CHARGES} {...chosen("charged")} />
        <TextField label="Took at least (ms)" inputMode="numeric" placeholder="any" {...typed("min_duration_ms")} />
        <FilterButtons isFiltered={isFiltered} onClear={() => setQuery(changesOf({}), { remember: true })} />
      </form>
    </>
  );
}

/** All parameters of the filter, so that missing ones are removed from the address. */
function changesOf(filter: Readonly<Partial<Record<FilterName, string | null>>>) {
  return Object.fromEntries(FILTERS.map((name) => [name, filter[name]?.trim() || null]));
}

const OUTCOMES: readonly Choice[] = [
  { value: "", label: "any" },
  { value: "match", label: "found" },
  { value: "no_match", label: "no record" },
  { value: "failed", label: "failed" },
  { value: "unknown", label: "interrupted" },
];

/** A call of an unknown source is not recorded. */
const FAILURES: readonly Choice[] = [
  { value: "", label: "any" },
  ...Object.entries(FAULT_NAMES).flatMap(([value, label]) => (value === "unknown_source" ? [] : [{ value, label }])),
];

const CHARGES: readonly Choice[] = [
  { value: "", label: "any" },
  { value: "unknown", label: "charge unknown" },
  { value: "yes", label: "charged" },
  { value: "no", label: "not charged" },
];
