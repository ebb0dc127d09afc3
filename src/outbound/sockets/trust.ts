import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { ClientTls } from "../../sdk/http.ts";
import { hasCertificate, hasEncryptedKey, hasPrivateKey, withLineBreaks } from "../../terms/text/pem.ts";

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

/** Why a client certificate cannot be used. The message contains no part of the certificate. */
export class ClientIdentityError extends Error {}

/**
 * Reads a client certificate and its key, and checks that they belong together. Restores line breaks that were lost, for
 * example in an environment variable. @throws ClientIdentityError
 */
export function readClientIdentity(client: ClientTls): Pick<ClientTls, "cert" | "key"> {
  const [cert, key] = [withLineBreaks(client.cert), withLineBreaks(client.key)];
  if (hasPrivateKey(cert) && !hasCertificate(cert) && hasCertificate(key) && !hasPrivateKey(key))
    throw new ClientIdentityError("the client certificate and its private key are swapped");
  const certificate = read(() => new X509Certificate(cert), "the client certificate cannot be read");
  if (hasEncryptedKey(key))
    throw new ClientIdentityError(
      "the private key of the client certificate is encrypted: store it without a passphrase",
    );
  const privateKey = read(() => createPrivateKey(key), "the private key of the client certificate cannot be read");
  if (!certificate.checkPrivateKey(privateKey))
    throw new ClientIdentityError(
      "the private key does not belong to the client certificate, which is the first one in a chain",
    );
  return { cert, key };
}

function read<Value>(parse: () => Value, problem: string): Value {
  try {
    return parse();
  } catch (cause) {
    throw new ClientIdentityError(problem, { cause });
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
