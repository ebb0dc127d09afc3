import { createPrivateKey, type KeyObject } from "node:crypto";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----/gs;
const LINE_CHARS = 64;

/** Restores the line breaks of PEM blocks in which they became `\n`, spaces or nothing. */
export function withLineBreaks(pem: string): string {
  return pem.replaceAll(BLOCK, (whole, label: string, inside: string) => {
    // Base64 has neither backslashes nor white space. A block with anything else, such as header fields, stays as it is.
    const base64 = inside.replaceAll(/\\+[nrt]|\s+/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return whole;
    const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, "g"))!;
    return `\n-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
  });
}

/** Whether PEM text contains a certificate. */
export function hasCertificate(pem: string): boolean {
  return /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(pem);
}

/** Whether PEM text contains a private key without a passphrase. */
export function hasPrivateKey(pem: string): boolean {
  return /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(pem);
}

/** Whether PEM text contains a private key that needs a passphrase. */
export function hasEncryptedKey(pem: string): boolean {
  return /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m.test(pem);
}

/**
 * Reads a private key, and restores its line breaks. If that fails, returns why, as the end of a sentence that begins
 * with the name of the key and contains no part of it.
 */
export function readPrivateKey(written: string): KeyObject | string {
  const pem = withLineBreaks(written);
  if (hasEncryptedKey(pem)) return "is encrypted: store it without a passphrase";
  if (!hasPrivateKey(pem)) {
    if (hasCertificate(pem)) return "is a certificate: store the private key that belongs to it";
    return /-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(pem)
      ? "is a public key: store the private key that belongs to it"
      : "is not a private key in PEM, which begins with -----BEGIN PRIVATE KEY-----";
  }
  try {
    return createPrivateKey(pem);
  } catch {
    return "cannot be read as a private key: its PEM is damaged";
  }
}
