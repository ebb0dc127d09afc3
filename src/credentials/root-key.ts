import { hash } from "node:crypto";
import { KEY_BYTES, type NamedKey } from "./seal.ts";
import { VARIABLES } from "../terms/variables.ts";

/** The reason why the service does not start, as a sentence for operators. Never contains a key. */
export class RootKeyError extends Error {
  override readonly name = "RootKeyError";
}

/** For a missing key file. `directory`: the directory of key files, if root keys are files. */
export function noRootKey(directory: string | undefined): RootKeyError {
  return new RootKeyError(
    `${directory ?? VARIABLES.rootKey} has no root key file, but stored credentials depend on one: restore it, or give it in ${VARIABLES.rootKey}`,
  );
}

const ID_SHAPE = /^[A-Za-z0-9_.-]{1,64}$/;
/** A key file must be restored, because a new key does not open the sealed data. */
function howTo(where: string): string {
  return where.startsWith(VARIABLES.rootKey)
    ? "make one with: openssl rand -base64 32"
    : "restore it from a copy, because no other key opens the sealed data";
}

/**
 * Parses a list of root keys, newest first, from `DATARUN_ROOT_KEY` or a key file: `id:base64` or plain base64,
 * separated by commas. The first key seals; all open.
 * @throws RootKeyError, naming `where`
 */
export function parseRootKeys(text: string, where: string): readonly NamedKey[] {
  const keys = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part, index, parts) => parseRootKey(part, parts.length === 1 ? where : `${where}, key ${index + 1},`));
  if (keys.length === 0) throw new RootKeyError(`${where} is empty: ${howTo(where)}`);
  if (new Set(keys.map((key) => key.id)).size < keys.length) throw new RootKeyError(`${where} contains a key id twice`);
  return keys;
}

/** Derives the id of a key without an explicit id from its hash. */
export function rootKeyId(bytes: Buffer): string {
  return `root_${hash("sha256", Buffer.concat([Buffer.from("datarun root key id"), bytes]), "hex").slice(0, 16)}`;
}

export function formatRootKey(key: NamedKey): string {
  return `${key.id}:${key.bytes.toString("base64")}`;
}

function parseRootKey(text: string, where: string): NamedKey {
  const colon = text.indexOf(":");
  const bytes = readKey(text.slice(colon + 1).trim(), where);
  if (colon === -1) return { id: rootKeyId(bytes), bytes };
  const id = text.slice(0, colon).trim();
  if (!ID_SHAPE.test(id))
    throw new RootKeyError(`${where} has an id that is not 1 to 64 letters, digits, "_", "." or "-"`);
  return { id, bytes };
}

function readKey(text: string, where: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  const canonical = bytes.toString("base64").replace(/=+$/, "");
  if (text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/") !== canonical) {
    throw new RootKeyError(`${where} is not base64: ${howTo(where)}`);
  }
  if (bytes.length !== KEY_BYTES) {
    throw new RootKeyError(`${where} must be ${KEY_BYTES} bytes in base64, and is ${bytes.length}: ${howTo(where)}`);
  }
  return bytes;
}
