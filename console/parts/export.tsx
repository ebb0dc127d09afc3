import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CallError } from "../api/ask.ts";
import { damagedLines, type DamagedRuns } from "../api/damaged-lines.ts";
import { download, TOO_LARGE } from "../api/download.ts";
import { toCallError } from "../api/use-verb.ts";
import type { InputOf } from "../api/verb-types.ts";
import { Button } from "./button.tsx";
import { commandOf } from "./command-of.ts";
import { Command } from "./copy.tsx";
import { Damaged } from "./damaged.tsx";
import { Failure } from "./failure.tsx";
import "./export.css";

const FORMATS = { csv: "Export CSV", jsonl: "Export JSON lines" } as const;
type Format = keyof typeof FORMATS;

interface ExportProps<Verb extends "audit export" | "ledger export"> {
  readonly verb: Verb;
  readonly filter: InputOf<Verb>;
}

/** What came of the last export, and of which filter. */
interface Outcome {
  readonly of: string;
  /** The filter that was set when it ended. */
  readonly toldWith: string;
  /** What saves the same file from a terminal. */
  readonly command: string;
  readonly cancelled?: boolean;
  readonly damaged?: DamagedRuns;
  readonly error?: CallError;
}

/** Saves everything that a filter selects as a file, not only what is shown. */
export function Export<Verb extends "audit export" | "ledger export">({ verb, filter }: ExportProps<Verb>) {
  const [busy, setBusy] = useState<Format>();
  const [last, setLast] = useState<Outcome>();
  const of = JSON.stringify(filter);
  const now = useRef(of);
  now.current = of;
  // Once the filter changes after somebody was told, it says nothing any more.
  const outcome = last?.toldWith === of ? last : undefined;
  const gone = useRef<AbortController>(undefined);
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => () => gone.current?.abort(), []);
  useEffect(() => (busy === undefined ? undefined : warnBeforeLeaving()), [busy]);
  // With the button that was pressed, the focus would be lost.
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
      toldWith: now.current,
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
      {outcome && <Says {...outcome} isOfAnother={outcome.of !== of} />}
    </>
  );
}

function Says({ cancelled, damaged, error, command, isOfAnother }: Outcome & { readonly isOfAnother: boolean }) {
  const isTold = cancelled === true || error !== undefined || (damaged?.count ?? 0) > 0;
  return (
    <>
      {isTold && isOfAnother && <p class="dim">Of the export with the filter as it was before:</p>}
      {cancelled === true && <p role="status">The export was cancelled, and nothing was saved.</p>}
      {damaged && damaged.count > 0 && <Damaged runs={damaged} says="the file has only their ids" />}
      {error && <Failure error={error} />}
      {error?.code === TOO_LARGE && <Command>{command}</Command>}
    </>
  );
}

/** A page that is left takes with it what it was saving. */
function warnBeforeLeaving(): () => void {
  const warn = (event: Event) => event.preventDefault();
  window.addEventListener("beforeunload", warn);
  return () => window.removeEventListener("beforeunload", warn);
}
