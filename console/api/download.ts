import { noteEnd } from "../session.ts";
import { CallError, type ErrorBody, OWN_HEADERS, toError } from "./ask.ts";
import type { InputOf, VerbName } from "./verb-types.ts";

/** So much is held in memory at most, where the browser cannot write what comes to the disk. */
const MEMORY_MB_MAX = 100;
/** The code of the failure if it is more. */
export const TOO_LARGE = "too_large";

export interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Gets every piece on its way to the file. */
  readonly pass: (piece: Uint8Array) => void;
}

/** As far as Chromium has it; behind TLS and on loopback only. */
interface FilePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<Chosen>;
}
type Chosen = FileSystemFileHandle & { remove?(): Promise<void> };

/**
 * Saves what a verb answers with as a file: where the browser can, it writes it to the disk as it comes, to a place that a
 * person chooses; otherwise it is held in memory first, up to a bound. Whoever chooses no place gets nothing.
 * @throws CallError, also if the text broke off or `signal` was aborted: then there is no file
 */
export async function download<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  fileName: string,
  { signal, pass }: DownloadOptions,
): Promise<"saved" | "nowhere"> {
  // Before anything else is awaited: a browser opens its window only at once after a press.
  const chosen = await choosePlace(fileName);
  if (chosen === "nowhere") return "nowhere";
  try {
    const body = (await open(name, input, signal)).pipeThrough(passing(pass));
    if (chosen === null) save(await gather(body), fileName);
    // What breaks off is not written: until the end it is in a file of the browser's own.
    else await write(body, chosen, signal);
    return "saved";
  } catch (thrown) {
    // The browser has made an empty file when it was chosen.
    await chosen?.remove?.().catch(() => {});
    throw thrown;
  }
}

function passing(pass: DownloadOptions["pass"]): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      pass(piece);
      controller.enqueue(piece);
    },
  });
}

/** `null` if the browser cannot, or may not, write to the disk by itself. */
async function choosePlace(suggestedName: string): Promise<Chosen | "nowhere" | null> {
  const picker = window as FilePicker;
  if (picker.showSaveFilePicker === undefined) return null;
  try {
    return await picker.showSaveFilePicker({ suggestedName });
  } catch (thrown) {
    return thrown instanceof DOMException && thrown.name === "AbortError" ? "nowhere" : null;
  }
}

async function write(body: ReadableStream<Uint8Array>, chosen: Chosen, signal: AbortSignal): Promise<void> {
  try {
    await body.pipeTo(await chosen.createWritable(), { signal });
  } catch (thrown) {
    // A full disk or a refused permission; what breaks off on its way is no DOMException.
    if (thrown instanceof DOMException && !signal.aborted)
      throw new CallError("internal", `The file could not be written: ${thrown.message}`);
    sayBroken();
  }
}

async function open<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(`/api/${name.replaceAll(" ", "/")}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...OWN_HEADERS },
    body: JSON.stringify(input),
    cache: "no-store",
    signal,
  }).catch(() => {
    throw new CallError("unreachable", "The service does not answer.");
  });
  if (response.ok && response.body !== null) return response.body;
  const value = (await response.json().catch(() => null)) as { readonly error?: ErrorBody } | null;
  const error = toError(response.status, value?.error);
  if (error.code === "unauthenticated") await noteEnd();
  throw error;
}

async function gather(body: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(sayBroken);
    if (done) return new Blob(pieces);
    pieces.push(value as Uint8Array<ArrayBuffer>);
    bytes += value.length;
    if (bytes <= MEMORY_MB_MAX * 1_000_000) continue;
    void reader.cancel();
    throw new CallError(
      TOO_LARGE,
      `The file is larger than ${MEMORY_MB_MAX} MB, which is more than this page holds in memory, so it was not saved. Narrow the filter, or run this in a terminal:`,
    );
  }
}

function sayBroken(): never {
  throw new CallError("unreachable", "The file broke off before its end, so it was not saved. Try again.");
}

function save(text: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(text);
  link.download = fileName;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
