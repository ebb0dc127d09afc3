import { hash, randomBytes } from "node:crypto";
import type { JsonObject } from "../terms/json/json.ts";
import type { NamedKey } from "./seal.ts";

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * The key for scopes of inline credentials. It is the same in all processes of a deployment and after a restart, so
 * that counts by credential are shared. It reveals nothing about the root key.
 */
export function scopeKeyOf(rootKey: NamedKey): Uint8Array {
  return deriveKey(rootKey, "datarun inline scopes");
}

/** The key that authenticates logins in progress: a login may start at one replica and end at another. */
export function loginKeyOf(rootKey: NamedKey): Uint8Array {
  return deriveKey(rootKey, "datarun logins under way");
}

function deriveKey(rootKey: NamedKey, purpose: string): Uint8Array {
  return hash("sha256", Buffer.concat([Buffer.from(purpose), rootKey.bytes]), "buffer");
}

/**
 * Derives scopes of inline credentials: equal fields of one organization have the same scope. Without the key, fields
 * can be neither recovered from a scope nor guessed against it.
 */
export function createInlineScopes(key: Uint8Array = randomBytes(BLOCK_BYTES)) {
  const keyedHash = createKeyedHash(key);
  return (organizationId: string, fields: JsonObject): string =>
    `${organizationId}/inline/${keyedHash(JSON.stringify([organizationId, fields]))}`;
}

/**
 * HMAC-SHA-256 (RFC 2104) from two one-shot hashes: it runs for every inline call, and `createHmac` takes several times
 * as long.
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
