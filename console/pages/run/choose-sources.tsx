import { useEffect } from "preact/hooks";
import { useVerb } from "../../api/use-verb.ts";
import { address, setQuery } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { onFirst } from "../sources/filter-sources.ts";
import { chooseSources, type RunAddress } from "./run-address.ts";

/** Number of sources listed at once. The search narrows the list. */
const SHOWN = 200;

interface ChooseProps extends RunAddress {
  /** Called when the sources have arrived or the request has failed. */
  readonly onLoaded: () => void;
}

/** Chooses the sources or the function of a run. */
export function Choose({ sources: chosen, functionId, kind, onLoaded }: ChooseProps) {
  return (
    <div class="stack">
      <div class="beside" role="group" aria-label="What to run">
        <Button pressed={kind === "sources"} onClick={() => setQuery({ function: null })}>
          Sources
        </Button>
        <Button pressed={kind === "function"} onClick={() => setQuery({ function: functionId ?? "none" })}>
          Function
        </Button>
      </div>
      {kind === "sources" ? (
        <ChooseSources chosen={chosen} onLoaded={onLoaded} />
      ) : (
        <ChooseFunction chosen={functionId} />
      )}
    </div>
  );
}

function ChooseSources({ chosen, onLoaded }: { readonly chosen: readonly string[]; readonly onLoaded: () => void }) {
  const { result, error, reload } = useVerb("source list", {});
  const isLoaded = result !== undefined || error !== undefined;
  useEffect(() => {
    if (isLoaded) onLoaded();
  }, [isLoaded]);
  const text = address().query.get("find") ?? "";
  const all = result?.sources ?? [];
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = onFirst(all).filter(({ source, title }) => {
    const words = `${source} ${title}`.toLowerCase();
    return wanted.every((word) => words.includes(word));
  });

  function tick(id: string, isChosen: boolean): void {
    chooseSources(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id));
  }

  return (
    <>
      <TextField
        label="Search sources"
        type="search"
        value={text}
        onValue={(find) => setQuery({ find })}
        hint={`${chosen.length} chosen of ${all.length}`}
      />
      {error && <Failure error={error} retry={reload} />}
      <ul class="run-sources" aria-label="Sources">
        {found.slice(0, SHOWN).map(({ source, title, leaves_machine, on }) => (
          <li key={source}>
            <CheckField
              name={source}
              checked={chosen.includes(source)}
              onChecked={(isChosen) => tick(source, isChosen)}
              label={
                <>
                  <span class="run-source-title" title={title}>
                    {title}
                  </span>{" "}
                  {title !== source && <code class="dim">{source}</code>}
                  {!on ? (
                    <Outcome kind="off" says="off: not available to runs" />
                  ) : (
                    !leaves_machine && <span class="dim"> answers on this machine</span>
                  )}
                </>
              }
            />
          </li>
        ))}
        {result !== undefined && found.length === 0 && <li class="dim">No source has this in its id or title.</li>}
        {found.length > SHOWN && <li class="dim">{found.length - SHOWN} more. Narrow the search.</li>}
      </ul>
    </>
  );
}

function ChooseFunction({ chosen }: { readonly chosen: string | undefined }) {
  const { result, error, reload } = useVerb("function list", {});
  const all = result?.functions ?? [];
  const isKnown = all.some(({ function: id }) => id === chosen);
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <SelectField
        label="Function"
        value={isKnown ? chosen! : ""}
        onValue={(id) => setQuery({ function: id === "" ? "none" : id })}
        hint="A function calls sources itself and combines their results into one output."
        choices={[
          { value: "", label: result !== undefined && all.length === 0 ? "no function available" : "choose one" },
          ...all.map(({ function: id, title }) => ({ value: id, label: `${title} (${id})` })),
        ]}
      />
    </>
  );
}

/** Well-known sources with similar inputs, so that one set of examples fits them all. */
const SENSIBLE = [
  "gleif__lei_record",
  "companies_house__company_profile",
  "eu_vies__vat",
  "mailcheck__email_address",
  "iptoasn__ip_country",
  "google__phone_number",
  "ibantools__bank_account",
];
const FEW = 5;

/**
 * Five sources to try, each of another vendor. With a live workflow only sources that answer on this machine, so that
 * trying costs nothing. Sources that are off are left out.
 */
export function sensibleSources(
  all: readonly { readonly source: string; readonly leaves_machine: boolean; readonly on: boolean }[],
  isSimulated: boolean,
): readonly string[] {
  const usable = all
    .filter(({ leaves_machine, on }) => on && (isSimulated || !leaves_machine))
    .map(({ source }) => source);
  const vendors = new Map<string, string>();
  for (const id of [...SENSIBLE.filter((one) => usable.includes(one)), ...usable]) {
    const vendor = id.split("__")[0]!;
    if (!vendors.has(vendor)) vendors.set(vendor, id);
  }
  return [...vendors.values()].slice(0, FEW);
}
