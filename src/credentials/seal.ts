import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import type { SealedCredential, WrappedKey } from "./ports.ts";

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** A cipher key with its id, to which rows refer. */
export interface NamedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The row that a sealed credential is bound to. It does not open in any other row. */
export type SealedFor = Pick<SealedCredential, "id" | "organizationId" | "source" | "version">;

/**
 * The reason why a sealed value cannot be used. Shown to operators and in the log; clients always get the same message.
 */
export type SealProblem = "altered" | "data_key_missing" | "root_key_missing" | "data_key_altered";

export function sealProblem(reason: SealProblem, detail: Readonly<Record<string, string>> = {}): Fault {
  const problem = "the stored credential of this source cannot be used";
  return new Fault("source.credential_missing", { problem, reason, ...detail });
}

/** Returns base64 of nonce, ciphertext and tag. */
export function sealFields(dataKey: NamedKey, sealedFor: SealedFor, fields: JsonObject): string {
  return encrypt(dataKey.bytes, bindCredential(dataKey.id, sealedFor), Buffer.from(JSON.stringify(fields)));
}

/** @throws Fault `source.credential_missing`, reason `altered`, if any bit or the row differs from sealing */
export function openFields(dataKey: NamedKey, sealedFor: SealedFor, sealed: string): JsonObject {
  const plain = decrypt(dataKey.bytes, bindCredential(dataKey.id, sealedFor), sealed);
  if (plain === null) throw sealProblem("altered", { credentialId: sealedFor.id });
  const fields = readJsonExactly(plain.toString("utf8"));
  plain.fill(0);
  if (!isJsonObject(fields)) throw sealProblem("altered", { credentialId: sealedFor.id });
  return fields;
}

export function wrapDataKey(rootKey: NamedKey, dataKey: NamedKey, organizationId: string): WrappedKey {
  const bound = bindDataKey(rootKey.id, dataKey.id, organizationId);
  return {
    id: dataKey.id,
    organizationId,
    rootKeyId: rootKey.id,
    wrapped: encrypt(rootKey.bytes, bound, dataKey.bytes),
  };
}

/** @throws Fault `source.credential_missing`, reason `data_key_altered` */
export function unwrapDataKey(rootKey: NamedKey, row: WrappedKey): NamedKey {
  const bytes = decrypt(rootKey.bytes, bindDataKey(rootKey.id, row.id, row.organizationId), row.wrapped);
  if (bytes?.length !== KEY_BYTES) throw sealProblem("data_key_altered", { keyId: row.id });
  return { id: row.id, bytes };
}

/** A proof by which a root key can be recognized without relying on its id. */
export function proofOf(rootKey: NamedKey): string {
  return encrypt(rootKey.bytes, bind("datarun root key 1", rootKey.id), Buffer.alloc(0));
}

export function isProvenBy(rootKey: NamedKey, proof: string): boolean {
  return decrypt(rootKey.bytes, bind("datarun root key 1", rootKey.id), proof) !== null;
}

function bindCredential(keyId: string, sealedFor: SealedFor): Buffer {
  const { organizationId, id, source, version } = sealedFor;
  return bind("datarun credential 1", organizationId, id, source, String(version), keyId);
}

function bindDataKey(rootKeyId: string, keyId: string, organizationId: string): Buffer {
  return bind("datarun data key 1", organizationId, keyId, rootKeyId);
}

/** Each part is preceded by its length, so that different lists of parts always give different bytes. */
function bind(...parts: readonly string[]): Buffer {
  const pieces: Buffer[] = [];
  for (const part of parts) {
    // UTF-16, because UTF-8 encodes all lone surrogates as the same bytes.
    const bytes = Buffer.from(part, "utf16le");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    pieces.push(length, bytes);
  }
  return Buffer.concat(pieces);
}

function encrypt(key: Buffer, bound: Buffer, plain: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function decrypt(key: Buffer, bound: Buffer, sealed: string): Buffer | null {
  const bytes = Buffer.from(sealed, "base64");
  // The base64 decoder is lenient, so a text in any other encoding than ours counts as altered.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64") !== sealed) return null;
  const tagStart = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bound).setAuthTag(bytes.subarray(tagStart));
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, tagStart));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return null;
  }
}
