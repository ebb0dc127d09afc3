import { hash } from "node:crypto";
import { isOperatorName } from "../../operator-wire.ts";
import type { Role } from "../../ports.ts";
import { ROLES } from "../../roles.ts";
import type { JsonObject } from "../../../terms/json/json.ts";

/** Which claims of a provider are used, and for what: settings of the group `oidc`. */
export interface ClaimSettings {
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Groups whose members have this role. */
  readonly viewers: readonly string[];
  readonly operators: readonly string[];
  readonly owners: readonly string[];
}

/** A person whom the provider has authenticated. */
export interface Person {
  /** SHA-256 of issuer and subject, lower-case hex. It stays the same when the name changes. */
  readonly digest: string;
  /** The provider's permanent identifier of the person. */
  readonly subject: string;
  /** The name in the audit trail. */
  readonly name: string;
  /** The highest role of the person's groups; `null` if no group has a role. */
  readonly role: Role | null;
}

export function personOfClaims(claims: JsonObject, settings: ClaimSettings): Person {
  // `openid-client` has checked that both are texts.
  const [issuer, subject] = [claims["iss"], claims["sub"]] as [string, string];
  const digest = hash("sha256", JSON.stringify([issuer, subject]), "hex");
  return { digest, subject, name: nameOf(claims, settings, digest), role: roleOf(claims, settings) };
}

/** Whether a claim is missing that the provider may return only from its user info endpoint. */
export function isWithoutClaims(claims: JsonObject, { nameClaim, groupsClaim }: ClaimSettings): boolean {
  const wanted = [nameClaim, groupsClaim].flatMap((name) => (name === EMAIL ? [EMAIL, VERIFIED] : [name]));
  return wanted.some((name) => claims[name] === undefined);
}

/**
 * The claims of an ID token, completed by those of the user info endpoint. An address and whether it is verified always
 * come from the same response.
 */
export function joinClaims(ofToken: JsonObject, more: JsonObject): JsonObject {
  const joined = { ...more, ...ofToken };
  if (ofToken[EMAIL] !== undefined && ofToken[VERIFIED] !== undefined) return joined;
  const { [VERIFIED]: _, ...unverified } = joined;
  if (more[EMAIL] === undefined) return unverified;
  return { ...unverified, [EMAIL]: more[EMAIL], ...(more[VERIFIED] !== undefined && { [VERIFIED]: more[VERIFIED] }) };
}

const EMAIL = "email";
const VERIFIED = "email_verified";

/**
 * Names are in lower case, so two names that differ only in case are the same person's. A name that no operator can have
 * is not used at all: without its invisible characters or blanks it could be another person's.
 */
function nameOf(claims: JsonObject, { nameClaim }: ClaimSettings, digest: string): string {
  const [named] = textsIn(claims, nameClaim).map((name) => name.toLowerCase());
  const [subject] = textsIn(claims, "sub");
  return [named, subject, `person-${digest.slice(0, 16)}`].find(isOperatorName)!;
}

function roleOf(claims: JsonObject, settings: ClaimSettings): Role | null {
  const groups = new Set(textsIn(claims, settings.groupsClaim));
  const has: Readonly<Record<Role, readonly string[]>> = {
    viewer: settings.viewers,
    operator: settings.operators,
    owner: settings.owners,
  };
  return ROLES.findLast((role) => has[role].some((group) => groups.has(group))) ?? null;
}

/**
 * The texts of a claim. An e-mail address that the provider has not verified is left out: the person may have entered
 * any.
 */
function textsIn(claims: JsonObject, name: string): readonly string[] {
  if (name === EMAIL && claims[VERIFIED] !== true) return [];
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  const typedIn = claims[VERIFIED] === false && typeof claims[EMAIL] === "string" ? claims[EMAIL].toLowerCase() : null;
  return texts.filter((one) => one.toLowerCase() !== typedIn);
}
