import { detectSessionEnd, pathOf } from "./call-verb.ts";
import { CallError, readResult, send } from "./send-request.ts";
import type { InputOf, VerbName } from "./verb-types.ts";

/** Limit in memory, for browsers that cannot write a download to disk as it arrives. */
const MEMORY_MB_MAX = 100;
/** Code of the failure when the limit is exceeded. */
export const TOO_LARGE = "too_large";

interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Receives every piece on its way to the file. */
  readonly pass: (piece: Uint8Array) => void;
}

/** The part of the File System Access API that is used. Only Chromium has it, and only behind TLS or on loopback. */
interface FilePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<Chosen>;
}
type Chosen = FileSystemFileHandle & { remove?(): Promise<void> };

/**
 * Saves the answer of a verb as a file. If the browser supports it, a person chooses the file and the browser writes to
 * it as data arrives; otherwise the data is held in memory, up to a limit. Does nothing if the person cancels the file
 * dialog.
 * @throws CallError, also if the download is cut off or `signal` aborts; no file is left then
 */
export async function download<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  fileName: string,
  { signal, pass }: DownloadOptions,
): Promise<"saved" | "nowhere"> {
  // Must come before the first `await`: a browser opens the dialog only as a direct result of a click.
  const chosen = await chooseFile(fileName);
  if (chosen === "nowhere") return "nowhere";
  try {
    const body = (await open(name, input, signal)).pipeThrough(passing(pass));
    if (chosen === null) save(await gather(body), fileName);
    // The browser writes to a temporary file of its own, and a download that is cut off discards it.
    else await write(body, chosen, signal);
    return "saved";
  } catch (thrown) {
    // The browser created an empty file when it was chosen.
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

/** `null` if the browser cannot write to the disk or is not allowed to. */
async function chooseFile(suggestedName: string): Promise<Chosen | "nowhere" | null> {
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
    // A DOMException means a full disk or a refused permission. A download that is cut off throws another type.
    if (thrown instanceof DOMException && !signal.aborted)
      throw new CallError("internal", `The file could not be written: ${thrown.message}`);
    throwBroken();
  }
}

async function open<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(pathOf(name), input, { signal });
  if (response.ok && response.body !== null) return response.body;
  return detectSessionEnd(readResult(response) as Promise<never>);
}

async function gather(body: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(throwBroken);
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

function throwBroken(): never {
  throw new CallError("unreachable", "The download was cut off before its end, so no file was saved. Try again.");
}

/** Saves a file that is in memory. */
export function save(text: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(text);
  link.download = fileName;
  link.click();
  // The browser has read the data by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
