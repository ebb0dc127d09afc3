import type { StoredCredential } from "./ports.ts";
import { toWireTime } from "./wire-time.ts";

/** A credential as results show it: never a field of it. */
export function toWireCredential(credential: StoredCredential) {
  return {
    cred_id: credential.id,
    source: credential.source,
    contexts: credential.contexts.length === 0 ? ["every"] : credential.contexts,
    default: credential.isDefault,
    disabled: credential.disabled,
    created_at: toWireTime(credential.createdWallAt),
  };
}
