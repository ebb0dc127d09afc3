import { useEffect, useRef, useState } from "preact/hooks";
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
  const [last, setFailed] = useState<{ readonly of: string; readonly error: CallError; readonly format: Format }>();
  const of = JSON.stringify(filter);
  // Of another filter, it would say nothing.
  const failed = last?.of === of ? last : undefined;
  const gone = useRef<AbortController>(undefined);
  useEffect(() => () => gone.current?.abort(), []);
  useEffect(() => (busy === undefined ? undefined : warnBeforeLeaving()), [busy]);
  const fileOf = (format: Format) => `${verb.split(" ")[0]!}.${format}`;

  async function save(format: Format): Promise<void> {
    setBusy(format);
    setFailed(undefined);
    const { signal } = (gone.current = new AbortController());
    await download(verb, { ...filter, format }, fileOf(format), signal).catch(
      (thrown: unknown) => !signal.aborted && setFailed({ of, error: toCallError(thrown), format }),
    );
    if (!signal.aborted) setBusy(undefined);
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

/** A page that is left takes with it what it was saving. */
function warnBeforeLeaving(): () => void {
  const warn = (event: Event) => event.preventDefault();
  window.addEventListener("beforeunload", warn);
  return () => window.removeEventListener("beforeunload", warn);
}
