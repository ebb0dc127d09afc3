import { createHmac, randomBytes } from "node:crypto";
import type { JsonObject } from "../terms/json.ts";

/**
 * Names the scopes of inline credentials: the same fields of the same organization get the same name, and nobody can
 * get from a name to the fields, nor try fields against it, without a key that never leaves this process.
 */
export function createInlineScopes(key: Uint8Array = randomBytes(32)) {
  return (organizationId: string, fields: JsonObject): string => {
    const content = createHmac("sha256", key)
      .update(JSON.stringify([organizationId, fields]))
      .digest("base64url");
    return `${organizationId}/inline/${content}`;
  };
}
