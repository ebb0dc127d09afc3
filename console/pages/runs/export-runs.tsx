import { useState } from "preact/hooks";
import type { CallError } from "../../api/ask.ts";
import { download } from "../../api/download.ts";
import { toCallError } from "../../api/use-verb.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import type { Filter } from "./filter.ts";

const FORMATS = [
  { format: "csv", label: "Export CSV" },
  { format: "jsonl", label: "Export JSON lines" },
] as const;

/** Saves the runs that the filter selects, all of them, as a file. */
export function ExportRuns({ filter }: { readonly filter: Filter }) {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<CallError>();

  async function save(format: (typeof FORMATS)[number]["format"]): Promise<void> {
    setBusy(format);
    setError(undefined);
    await download("ledger export", { ...filter, format }).catch((thrown) => setError(toCallError(thrown)));
    setBusy(undefined);
  }

  return (
    <>
      {FORMATS.map(({ format, label }) => (
        <Button key={format} isBusy={busy === format} onClick={() => void save(format)}>
          {label}
        </Button>
      ))}
      {error && <Failure error={error} />}
    </>
  );
}
