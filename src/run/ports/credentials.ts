/** Where the credential of a call comes from. */
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { PriceTerm } from "../../terms/price.ts";
import type { Secret } from "../../terms/secret.ts";

export type CredentialRule = "inline" | "named" | "auto" | "default" | "none";

export interface FoundCredential {
  /** `null` for an inline credential and for no credential. */
  readonly credentialId: string | null;
  readonly rule: CredentialRule;
  /** Deeply frozen, because other runs get the same object. */
  readonly fields: Secret<JsonObject>;
  /**
   * Identifies a credential without revealing it: token caches use it as key. It begins with the organization's id and a
   * slash, so that no two organizations share one. `null`: nothing may be kept for it.
   */
  readonly scope: string | null;
  /**
   * Identifies the account that the credential belongs to in the same way, for breakers and rate limits: a credential with
   * another value in a field that does not name the account is another credential of the same account. If it is missing,
   * it is `scope`.
   */
  readonly account?: string | undefined;
  /** What its contract costs; `null` for a credential without prices, whose calls cost what the source lists. */
  readonly prices: CredentialPrices | null;
}

/** The prices of one credential, in memory: asking never waits. */
export interface CredentialPrices {
  /** The one that holds for a request that is sent now; `null` if none has begun. */
  at(wallAt: number): PriceTerm | null;
}

export interface CredentialRequest {
  readonly organizationId: string;
  readonly source: string;
  readonly context: Context;
  /** The deployment's. A stored credential that is chosen is refused outside its regions. */
  readonly region: string;
  /** The fields of the inline credential that the source declares; `undefined` if no inline credential was sent. */
  readonly inline: JsonObject | undefined;
  /** Those of them that name the account; `undefined` if all do. */
  readonly account?: JsonObject | undefined;
  readonly credentialId: string | undefined;
  readonly autoSelect: boolean;
}

export interface CredentialFinder {
  /**
   * Searches in the order of decision 0012; `null` if no rule applies. Rejects with Fault `source.credential_missing` if
   * a named credential cannot be used: no other one is used instead.
   */
  find(request: CredentialRequest): Promise<FoundCredential | null>;
}
