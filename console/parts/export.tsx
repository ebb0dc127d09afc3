import { useState } from "preact/hooks";
import type { CallError } from "../api/ask.ts";
import { download, TOO_LARGE } from "../api/download.ts";
import { toCallError } from "../api/use-verb.ts";
import type { InputOf } from "../api/verb-types.ts";
import { Button } from "./button.tsx";
import { commandOf } from "./command-of.ts";
import { Command } from "./copy.tsx";
import { Failure } from "./failure.tsx";

const FORMATS = { csv: "Export CSV", jsonl: "Export JSON lines" } as const;
type Format = keyof typeof FORMATS;

interface ExportProps<Verb extends "audit export" | "ledger export"> {
  readonly verb: Verb;
  readonly filter: InputOf<Verb>;
}

/** Saves everything that a filter selects as a file, not only what is shown. */
export function Export<Verb extends "audit export" | "ledger export">({ verb, filter }: ExportProps<Verb>) {
  const [busy, setBusy] = useState<Format>();
  const [failed, setFailed] = useState<{ readonly error: CallError; readonly format: Format }>();
  const fileOf = (format: Format) => `${verb.split(" ")[0]!}.${format}`;

  async function save(format: Format): Promise<void> {
    setBusy(format);
    setFailed(undefined);
    await download(verb, { ...filter, format }, fileOf(format)).catch((thrown: unknown) =>
      setFailed({ error: toCallError(thrown), format }),
    );
    setBusy(undefined);
  }

  return (
    <>
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <Button key={format} isBusy={busy === format} disabled={busy !== undefined} onClick={() => void save(format)}>
          {FORMATS[format]}
        </Button>
      ))}
      {failed && <Failure error={failed.error} />}
      {failed?.error.code === TOO_LARGE && (
        <Command>{commandOf(`${verb} ${fileOf(failed.format)}`, { ...filter, format: failed.format })}</Command>
      )}
    </>
  );
}
