/** Where the credential of a call comes from. */
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { PriceTerm } from "../../terms/money/price.ts";
import type { Secret } from "../../terms/secret.ts";

export type CredentialRule = "inline" | "named" | "auto" | "default" | "none";

export interface ResolvedCredential {
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
   * Identifies the account of the credential in the same way, for breakers and rate limits. Credentials that differ only in
   * fields that do not name the account belong to one account. If it is missing, `scope` identifies the account.
   */
  readonly account?: string | undefined;
  /** The prices of its contract; `null` for a credential without prices: then the list price of the source applies. */
  readonly prices: CredentialPrices | null;
}

/** The prices of one credential, in memory: reading them never waits. */
export interface CredentialPrices {
  /** The price of a request that is sent at `wallAt`; `null` if no price has begun by then. */
  at(wallAt: number): PriceTerm | null;
}

export interface CredentialRequest {
  readonly organizationId: string;
  readonly source: string;
  readonly context: Context;
  /** The region of the deployment. A stored credential is refused outside its own regions. */
  readonly region: string;
  /** The fields of the inline credential that the source declares; `undefined` if no inline credential was sent. */
  readonly inline: JsonObject | undefined;
  /** The fields of the inline credential that name the account; `undefined` if all do. */
  readonly account?: JsonObject | undefined;
  readonly credentialId: string | undefined;
  readonly autoSelect: boolean;
}

export interface CredentialFinder {
  /**
   * Searches in the order of decision 0012; `null` if no rule applies. Returns a plain value if it is in memory, so that the
   * common case does not wait.
   * @throws Fault `source.credential_missing` if a named credential cannot be used: no other one is used instead
   */
  find(request: CredentialRequest): Promise<ResolvedCredential | null>;
}
