import { useState } from "preact/hooks";
import { download } from "../../api/download.ts";
import type { CallError } from "../../api/ask.ts";
import { toCallError } from "../../api/use-verb.ts";
import type { InputOf } from "../../api/verb-types.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";

const FORMATS = [
  { format: "csv", label: "Export CSV" },
  { format: "jsonl", label: "Export JSON lines" },
] as const;

/** Saves every entry that the filter selects, not only those that are shown. */
export function ExportEntries({ filter }: { readonly filter: InputOf<"audit list"> }) {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<CallError>();

  async function save(format: (typeof FORMATS)[number]["format"]): Promise<void> {
    setBusy(format);
    setError(undefined);
    await download("audit export", { ...filter, format }).catch((thrown: unknown) => setError(toCallError(thrown)));
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
