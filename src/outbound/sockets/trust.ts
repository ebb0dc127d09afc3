import { createHash, X509Certificate } from "node:crypto";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { ClientTls } from "../../sdk/http.ts";
import { readClientIdentity } from "./client-identity.ts";

/**
 * Makes TLS contexts from the trusted authorities and a client certificate, one for each connection pool.
 */
export class Trust {
  readonly #authorities: readonly string[] | null;
  #common: SecureContext | undefined;

  /**
   * @param extraAuthorities PEM of authorities to trust besides Node's
   * @throws Error if it contains no certificate
   */
  constructor(extraAuthorities: string | undefined) {
    const pems = extraAuthorities?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (extraAuthorities !== undefined && !pems.every(isCertificate))
      throw new Error("the extra certificate authorities cannot be read");
    if (extraAuthorities !== undefined && pems.length === 0)
      throw new Error("the extra certificate authorities hold no certificate in PEM form");
    this.#authorities = pems.length === 0 ? null : [...getCACertificates("default"), ...pems];
  }

  /**
   * The context for a client certificate; `undefined` for Node's defaults. @throws ClientIdentityError; Error if `ca`
   * cannot be read
   */
  contextFor(client: ClientTls | undefined): SecureContext | undefined {
    if (client === undefined) {
      if (this.#authorities !== null) this.#common ??= createSecureContext({ ca: [...this.#authorities] });
      return this.#common;
    }
    const ca = client.ca ?? this.#authorities;
    return createSecureContext({
      ...readClientIdentity(client),
      ...(ca === null ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
    });
  }
}

/** A digest that distinguishes client identities, so that no private key has to be kept. */
export function identityOf(client: ClientTls): string {
  const hash = createHash("sha256");
  for (const part of [client.cert, client.key, client.ca ?? ""]) hash.update(`${part.length}:${part}`);
  return hash.digest("base64");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
