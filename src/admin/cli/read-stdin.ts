import type { Readable } from "node:stream";
import { usage } from "./parse-command.ts";

/** All of standard input. @throws OperatorError `usage` if it is larger */
export async function readStdin(stdin: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array | string);
    bytes += part.length;
    if (bytes > bytesMax) throw usage(`Standard input has more than ${bytesMax} bytes.`);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
