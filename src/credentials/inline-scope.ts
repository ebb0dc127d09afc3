import { hash, randomBytes } from "node:crypto";
import type { JsonObject } from "../terms/json.ts";
import type { NamedKey } from "./seal.ts";

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * The key of a deployment's scopes: all its processes have the same, also after a restart, so that what is counted by
 * credential is counted together. Nothing about the root key can be learnt from it.
 */
export function scopeKeyOf(rootKey: NamedKey): Uint8Array {
  return deriveKey(rootKey, "datarun inline scopes");
}

/** The key that authenticates logins under way: one that begins at a replica may end at another. */
export function loginKeyOf(rootKey: NamedKey): Uint8Array {
  return deriveKey(rootKey, "datarun logins under way");
}

function deriveKey(rootKey: NamedKey, purpose: string): Uint8Array {
  return hash("sha256", Buffer.concat([Buffer.from(purpose), rootKey.bytes]), "buffer");
}

/**
 * Names the scopes of inline credentials: equal fields of one organization get equal names. Without the key, nobody can
 * recover fields from a name, or test guessed fields against it.
 */
export function createInlineScopes(key: Uint8Array = randomBytes(BLOCK_BYTES)) {
  const keyedHash = createKeyedHash(key);
  return (organizationId: string, fields: JsonObject): string =>
    `${organizationId}/inline/${keyedHash(JSON.stringify([organizationId, fields]))}`;
}

/**
 * HMAC-SHA-256 (RFC 2104) from two one-shot hashes: it is computed for every inline call, and `createHmac` takes
 * several times as long.
 */
export function createKeyedHash(key: Uint8Array): (text: string) => string {
  if (key.length > BLOCK_BYTES) throw new RangeError(`a key has at most ${BLOCK_BYTES} bytes`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(key);
  const inner = block.map((byte) => byte ^ INNER_PAD);
  const outer = block.map((byte) => byte ^ OUTER_PAD);
  return (text) => {
    const innerHash = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([outer, innerHash]), "base64url");
  };
}
