import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { parseIntent, type IntentLine } from "./record-lines.ts";

const NAME = /^(intents|outcomes)-(\d{8,})\.log$/;

export function intentFileName(number: number): string {
  return `intents-${String(number).padStart(8, "0")}.log`;
}

export interface NumberedFile {
  readonly name: string;
  readonly number: number;
}

/** The intent files of a directory, oldest first. */
export function listIntentFiles(directory: string): readonly NumberedFile[] {
  return listNumbered(directory, "intents");
}

export function listNumbered(directory: string, kind: "intents" | "outcomes"): readonly NumberedFile[] {
  const files = [];
  for (const name of readdirSync(directory)) {
    const [, of, number] = NAME.exec(name) ?? [];
    if (of === kind) files.push({ name, number: Number(number) });
  }
  return files.toSorted((a, b) => a.number - b.number);
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of an intent file, with `null` for each unreadable one. A last line without a line end comes from a write
 * that did not succeed, so it caused no vendor call and counts as unreadable.
 */
export function* readIntents(path: string): Generator<IntentLine | null> {
  const descriptor = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let rest: Buffer = Buffer.alloc(0);
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      const bytes = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        yield parseLine(bytes.toString("utf8", start, end));
        start = end + 1;
      }
      rest = Buffer.from(bytes.subarray(start));
    }
    if (rest.length > 0) yield null;
  } finally {
    closeSync(descriptor);
  }
}

/** After a power cut, a page that was never written can contain zeros, followed by a line that was written. */
function parseLine(text: string): IntentLine | null {
  let start = 0;
  while (text.charCodeAt(start) === 0) start += 1;
  return parseIntent(text.slice(start));
}
