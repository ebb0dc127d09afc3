import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";

/** No file has a longer path. */
export const PATH_CHARACTERS_MAX = 4_096;

/**
 * Reads a regular file by its real path. Folders, links, pipes and devices are refused before they are opened, because
 * opening or reading some of them blocks for ever. Files larger than `bytesMax` are refused, too. @throws RangeError
 * that names the reason
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  if (!(await lstat(path)).isFile()) throw new RangeError("is not a regular file");
  // If a link or a pipe has replaced the file meanwhile, these flags neither follow the link nor wait for the pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new RangeError("is not a regular file");
    if (facts.size > bytesMax) throw new RangeError(`is larger than ${bytesMax / 1_048_576} MiB`);
    const bytes = Buffer.alloc(facts.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
