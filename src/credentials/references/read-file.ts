import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { memberOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { ReadSecret } from "./ports.ts";
import type { SecretReference } from "./reference.ts";

/** Far more than a secret takes, so that a wrong file is not taken for one. */
const BYTES_MAX = 64 * 1024;

/**
 * Reads secrets from files in these folders and nowhere else, because whoever may create a credential chooses the path.
 * The line break at the end is left out.
 */
export function createFileReader(folders: readonly string[]): ReadSecret<Extract<SecretReference, { kind: "file" }>> {
  return async ({ path, key }) => {
    const real = await realpath(path).catch(unreadable);
    const within = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
    if (!within.some((folder) => folder !== null && real.startsWith(folder.endsWith(sep) ? folder : folder + sep)))
      throw new SecretUnavailable("the file is in none of the folders of the setting secrets.files", { isFinal: true });
    const text = await readText(real);
    return memberOf(text, key);
  };
}

async function readText(path: string): Promise<string> {
  // Without the flag, opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(unreadable);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new SecretUnavailable("it is not a regular file", { isFinal: true });
    if (status.size > BYTES_MAX)
      throw new SecretUnavailable(`the file has more than ${BYTES_MAX} bytes`, { isFinal: true });
    const text = (await file.readFile("utf8")).replace(/\r?\n$/, "");
    if (text.trim() === "") throw new SecretUnavailable("the file is empty");
    return text;
  } finally {
    await file.close();
  }
}

function unreadable(error: NodeJS.ErrnoException): never {
  const says = error.code === "ENOENT" ? "there is no such file" : `the file cannot be read (${error.code})`;
  throw new SecretUnavailable(says, { cause: error });
}
