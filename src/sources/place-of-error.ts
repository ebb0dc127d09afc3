import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** In which file and line something went wrong while a file was imported, as far as that can be told. */
export async function placeOf(error: unknown, file: string): Promise<Place | null> {
  if (!(error instanceof Error)) return null;
  // Where types are stripped, the stack begins with the place.
  const head = /^(\/.*|[A-Za-z]:\\.*):(\d+)\n/.exec(error.stack ?? "");
  if (head !== null) return { file: head[1]!, line: Number(head[2]) };
  const frame = /(file:\/\/[^\s)?]+)(?:\?[^\s:)]*)?:(\d+):\d+/.exec(error.stack ?? "");
  if (frame !== null && !(error instanceof SyntaxError))
    return { file: fileURLToPath(frame[1]!), line: Number(frame[2]) };
  return error instanceof SyntaxError ? parseAgain(file) : null;
}

/** The engine keeps the line of a syntax error in plain JavaScript to itself. */
async function parseAgain(file: string): Promise<Place | null> {
  const { transform } = await import("esbuild");
  try {
    await transform(await readFile(file, "utf8"), { loader: "ts", logLevel: "silent" });
    return null;
  } catch (error) {
    const [first] = (error as { errors?: readonly { location: { line: number } | null }[] }).errors ?? [];
    return first?.location === null || first === undefined ? null : { file, line: first.location.line };
  }
}
