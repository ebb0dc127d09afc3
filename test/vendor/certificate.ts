import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate and its key, PEM, as `node:tls` takes them. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** An identity that can sign others. */
export interface Authority extends Identity {
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface Wish {
  /** Host names and IPv4 addresses it is good for; the first is also its common name. */
  readonly names: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Left out: it signs itself. */
  readonly authority?: Authority;
}

const DAY_MS = 86_400_000;

/**
 * Certificates made on the spot, since Node can read but not write them and a bare machine need not have OpenSSL's
 * command. Only what TLS between two test processes needs of X.509 (RFC 5280): P-256 keys, ECDSA, names, dates.
 */
export function issueCertificate(wish: Wish): Identity {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = certify(
    wish,
    pair.publicKey,
    wish.authority ?? { name: wish.names[0]!, privateKey: pair.privateKey },
    false,
  );
  return { cert, key: pem(pair.privateKey) };
}

export function makeAuthority(name = "test authority"): Authority {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = certify({ names: [name] }, publicKey, { name, privateKey }, true);
  return { cert, key: pem(privateKey), name, privateKey };
}

function certify(
  wish: Wish,
  publicKey: KeyObject,
  signer: { readonly name: string; readonly privateKey: KeyObject },
  isAuthority: boolean,
): string {
  const { names, notBefore = new Date(Date.now() - DAY_MS), notAfter = new Date(Date.now() + DAY_MS) } = wish;
  const constraints = extension(OID_BASIC_CONSTRAINTS, sequence(...(isAuthority ? [TRUE] : [])), true);
  const alternatives = extension(OID_ALTERNATIVE_NAMES, sequence(...names.map(alternativeName)), false);
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    commonName(signer.name),
    sequence(time(notBefore), time(notAfter)),
    commonName(names[0]!),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(constraints, ...(isAuthority ? [] : [alternatives]))),
  );
  const signature = sign("sha256", body, signer.privateKey);
  const der = sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

// ---- DER: tag, length, content -------------------------------------------------------------------------------------

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function integer(content: Buffer): Buffer {
  return tagged(0x02, content);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** YYMMDDHHMMSSZ, good until 2049. */
function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${text}Z`));
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid("550403"), tagged(0x0c, Buffer.from(name)))));
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name));
}

function extension(id: Buffer, value: Buffer, critical: boolean): Buffer {
  return sequence(id, ...(critical ? [TRUE] : []), tagged(0x04, value));
}

const TRUE = tagged(0x01, Buffer.from([0xff]));
const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));
const OID_BASIC_CONSTRAINTS = oid("551d13");
const OID_ALTERNATIVE_NAMES = oid("551d11");

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
