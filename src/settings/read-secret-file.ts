import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { cannotReadFile, ConfigError } from "./config-error.ts";

/** Far more than root keys or an address take, so that a wrong file is not taken for a secret. */
const BYTES_MAX = 64 * 1024;

/**
 * Reads a secret from a file, without the line break that editors and `echo` add.
 * @throws ConfigError that names the variable and the file, and contains nothing of the file
 */
export function readSecretFile(variable: string, path: string): string {
  // The variable may hold the secret itself by mistake, which must not get into a message.
  if (!/^[./]/.test(path)) throw new ConfigError(`${variable} must be the path of a file, and begin with "/" or "."`);
  const text = decode(readWhole(variable, path), variable, path).replace(/\r?\n$/, "");
  if (text.trim() === "") throw new ConfigError(`${variable}: the file ${path} is empty`);
  return text;
}

/**
 * The value of a variable, or a function that returns the current content of the file that the other variable names. An
 * empty variable counts as absent.
 * @throws ConfigError if both are set, or the file cannot be read
 */
export function readVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  fileName: string | null,
): string | (() => string) | undefined {
  const value = environment[name] || undefined;
  const path = (fileName !== null && environment[fileName]) || undefined;
  if (fileName === null || path === undefined) return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${fileName} are both set: set only one of them`);
  return openSecretFile(fileName, path);
}

/** How often a file is looked at. */
const LOOK_EVERY_MS = 1_000;

/**
 * The content of a secret's file, read again when the file has changed. While it cannot be read, for instance because it
 * is being replaced, the last content counts.
 * @throws ConfigError if it cannot be read the first time
 */
export function openSecretFile(variable: string, path: string): () => string {
  let text = readSecretFile(variable, path);
  let version = versionOf(path);
  let lookedAt = performance.now();
  return () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return text;
    lookedAt = performance.now();
    const now = versionOf(path);
    if (now === version) return text;
    try {
      text = readSecretFile(variable, path);
      version = now;
    } catch {
      // Looked at again a second later.
    }
    return text;
  };
}

function versionOf(path: string): string | null {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? null : `${status.ino} ${status.size} ${status.mtimeNs} ${status.ctimeNs}`;
}

function readWhole(variable: string, path: string): Buffer {
  let file: number | undefined;
  try {
    // Without the flag, opening a pipe would wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    if (status.isDirectory()) throw new ConfigError(`${variable}: ${path} is a directory, not a file`);
    if (!status.isFile()) throw new ConfigError(`${variable}: ${path} is not a regular file`);
    const bytes = Buffer.alloc(BYTES_MAX + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > BYTES_MAX)
      throw new ConfigError(
        `${variable}: the file ${path} has more than ${BYTES_MAX} bytes, which is too large for a secret`,
      );
    return bytes.subarray(0, length);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw cannotReadFile(variable, path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function decode(bytes: Buffer, variable: string, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${variable}: the file ${path} is not UTF-8 text`);
  }
}
