import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ClientTls } from "../../sdk/http.ts";
import { hasCertificate, hasEncryptedKey, hasPrivateKey, withLineBreaks } from "../../terms/text/pem.ts";

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
