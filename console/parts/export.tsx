import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CallError } from "../api/send-request.ts";
import { damagedLines, type DamagedRuns } from "../api/damaged-lines.ts";
import { download, TOO_LARGE } from "../api/download.ts";
import { toCallError } from "../api/use-verb.ts";
import type { InputOf } from "../api/verb-types.ts";
import { Button } from "./button.tsx";
import { commandOf } from "./command-of.ts";
import { Command } from "./copy.tsx";
import { Damaged } from "./damaged.tsx";
import { Failure } from "./failure.tsx";
import { useLeaveWarning } from "./use-leave-warning.ts";
import "./export.css";

const FORMATS = { csv: "Export CSV", jsonl: "Export JSON lines" } as const;
type Format = keyof typeof FORMATS;

interface ExportProps<Verb extends "audit export" | "ledger export"> {
  readonly verb: Verb;
  readonly filter: InputOf<Verb>;
}

/** The result of the last export. */
interface Outcome {
  readonly of: string;
  /** The filter when the export ended. */
  readonly filterAtEnd: string;
  /** The command that saves the same file from a terminal. */
  readonly command: string;
  readonly cancelled?: boolean;
  readonly damaged?: DamagedRuns;
  readonly error?: CallError;
}

/** Buttons that save all entries that match the filter as a file, not only those that are shown. */
export function Export<Verb extends "audit export" | "ledger export">({ verb, filter }: ExportProps<Verb>) {
  const [busy, setBusy] = useState<Format>();
  const [last, setLast] = useState<Outcome>();
  const of = JSON.stringify(filter);
  const now = useRef(of);
  now.current = of;
  // The message of the last export disappears when the filter changes.
  const outcome = last?.filterAtEnd === of ? last : undefined;
  const gone = useRef<AbortController>(undefined);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => () => gone.current?.abort(), []);
  // Leaving the page would cancel the export.
  useLeaveWarning(busy !== undefined);
  // The Cancel button disappears with the export, which would lose the focus.
  useLayoutEffect(() => {
    if (last !== undefined && document.activeElement === document.body)
      buttons.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [last]);
  const fileOf = (format: Format) => `${verb.split(" ")[0]!}.${format}`;

  async function save(format: Format): Promise<void> {
    setBusy(format);
    setLast(undefined);
    const { signal } = (gone.current = new AbortController());
    const damaged = damagedLines(format);
    const done = await download(verb, { ...filter, format }, fileOf(format), { signal, pass: damaged.take })
      .then((how) => (how === "saved" ? { damaged: damaged.found() } : {}))
      .catch((thrown: unknown) => (signal.aborted ? { cancelled: true } : { error: toCallError(thrown) }));
    setLast({
      of,
      filterAtEnd: now.current,
      command: commandOf(`${verb} ${fileOf(format)}`, { ...filter, format }),
      ...done,
    });
    setBusy(undefined);
  }

  return (
    <>
      <div class="beside" ref={buttons}>
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <Button key={format} isBusy={busy === format} disabled={busy !== undefined} onClick={() => void save(format)}>
            {FORMATS[format]}
          </Button>
        ))}
        {busy !== undefined && (
          <div class="export-cancel">
            <Button kind="quiet" onClick={() => gone.current?.abort()}>
              Cancel
            </Button>
          </div>
        )}
      </div>
      {outcome && <ExportMessage {...outcome} isOfAnother={outcome.of !== of} />}
    </>
  );
}

function ExportMessage({
  cancelled,
  damaged,
  error,
  command,
  isOfAnother,
}: Outcome & { readonly isOfAnother: boolean }) {
  const hasMessage = cancelled === true || error !== undefined || (damaged?.count ?? 0) > 0;
  return (
    <>
      {hasMessage && isOfAnother && <p class="dim">About the export with the previous filter:</p>}
      {cancelled === true && <p role="status">The export was cancelled. No file was saved.</p>}
      {damaged && damaged.count > 0 && <Damaged runs={damaged} says="the file has only their ids" />}
      {error && <Failure error={error} />}
      {error?.code === TOO_LARGE && <Command>{command}</Command>}
    </>
  );
}
