import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";

/** No file has a longer path. */
export const PATH_CHARACTERS_MAX = 4_096;

/**
 * Reads a regular file by its real path. Folders, links, pipes and devices are refused before they are opened, because
 * reading some of them never begins or never ends. So are files that are larger than allowed.
 * @throws RangeError that says which
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  if (!(await lstat(path)).isFile()) throw new RangeError("is not a regular file");
  // If a link or a pipe has replaced the file since, this neither follows it nor waits for it.
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
