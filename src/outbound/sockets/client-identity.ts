import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ClientTls } from "../../sdk/http.ts";

/** Why a client certificate cannot be used. The message contains no part of the certificate. */
export class ClientIdentityError extends Error {}

/**
 * Reads a client certificate and its key, and checks that they belong together. Restores line breaks that were lost, for
 * example in an environment variable. @throws ClientIdentityError
 */
export function readClientIdentity(client: ClientTls): Pick<ClientTls, "cert" | "key"> {
  const [cert, key] = [withLineBreaks(client.cert), withLineBreaks(client.key)];
  if (hasKey(cert) && !hasCertificate(cert) && hasCertificate(key) && !hasKey(key))
    throw new ClientIdentityError("the client certificate and its private key are swapped");
  const certificate = read(() => new X509Certificate(cert), "the client certificate cannot be read");
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m.test(key))
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

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----/gs;
const LINE_CHARS = 64;

/** Restores the line breaks of PEM blocks in which they became `\n`, spaces or nothing. */
function withLineBreaks(pem: string): string {
  return pem.replaceAll(BLOCK, (whole, label: string, inside: string) => {
    // Base64 has neither backslashes nor white space. A block with anything else, such as header fields, stays as it is.
    const base64 = inside.replaceAll(/\\+[nrt]|\s+/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return whole;
    const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, "g"))!;
    return `\n-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
  });
}

function hasCertificate(pem: string): boolean {
  return /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(pem);
}

function hasKey(pem: string): boolean {
  return /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(pem);
}

function read<Value>(parse: () => Value, problem: string): Value {
  try {
    return parse();
  } catch (cause) {
    throw new ClientIdentityError(problem, { cause });
  }
}
