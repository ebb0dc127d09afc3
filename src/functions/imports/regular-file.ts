import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";

/**
 * Reads a file that is one, by its real path. A folder, a link, a pipe or a device, of which some never end and some never
 * begin, is refused before it is opened, and so is a file of more bytes than allowed. @throws RangeError that says which
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  if (!(await lstat(path)).isFile()) throw new RangeError("is not a regular file");
  // Should a link or a pipe have taken its place since, it is not followed, and not waited for.
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
