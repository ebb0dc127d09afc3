import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { JsonObject } from "../../terms/json/json.ts";
import { printableLines } from "../../terms/text/printable.ts";
import { type CommandIo, write } from "./command-io.ts";
import { usage } from "./parse-command.ts";

/** The text, or the bytes of a file, that a command produces piece by piece, and its result at the end. */
export type Pieces = AsyncGenerator<string | Uint8Array, JsonObject, void>;

/**
 * Writes the text to a new file, and returns the result together with the file's name and size. Without a file writes
 * to standard output, and returns the result, or `null` if the reader has closed the stream.
 * @throws OperatorError
 */
export async function writeText(pieces: Pieces, file: string | undefined, { stdout }: CommandIo) {
  if (file !== undefined) return writeToFile(pieces, resolve(file));
  // Programs and files get the text unchanged; a terminal would interpret its control characters.
  const isSeen = (stdout as { readonly isTTY?: boolean }).isTTY === true;
  return takeAll(pieces, async (piece) => {
    if (isSeen && typeof piece !== "string")
      throw usage("This format is not text: give FILE, or send it to a program.");
    await write(stdout, isSeen ? printableLines(String(piece).replaceAll("\r\n", "\n")) : piece);
    return !stdout.destroyed;
  });
}

async function writeToFile(pieces: Pieces, file: string): Promise<JsonObject> {
  try {
    // A failure before the first piece leaves no file behind.
    const first = await pieces.next();
    const output = await open(file, "wx", 0o600).catch(refuse("created", file));
    let bytes = 0;
    const take = async (piece: string | Uint8Array) => {
      await output.writeFile(piece).catch(refuse("written", file));
      bytes += Buffer.byteLength(piece);
      return true;
    };
    try {
      if (first.done !== true) await take(first.value);
      const result = first.done === true ? first.value : await takeAll(pieces, take);
      return { file, bytes, ...result };
    } finally {
      await output.close();
    }
  } finally {
    // The generator may hold a connection open until the whole text is read.
    await pieces.return({});
  }
}

async function takeAll(
  pieces: Pieces,
  take: (piece: string | Uint8Array) => Promise<boolean>,
): Promise<JsonObject | null> {
  try {
    for (;;) {
      const piece = await pieces.next();
      if (piece.done === true) return piece.value;
      if (!(await take(piece.value))) return null;
    }
  } finally {
    await pieces.return({});
  }
}

function refuse(what: "created" | "written", path: string) {
  return async (error: NodeJS.ErrnoException): Promise<never> => {
    // Loaded only after a failure, because every start loads this file.
    const { cannotWrite } = await import("../../terms/platform/file-problem.ts");
    throw cannotWrite(what, error, path);
  };
}
