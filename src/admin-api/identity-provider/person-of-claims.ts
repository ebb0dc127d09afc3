import { hash } from "node:crypto";
import { isOperatorName } from "../../admin/operator-wire.ts";
import type { Role } from "../../admin/ports.ts";
import { ROLES } from "../../admin/roles.ts";
import type { JsonObject } from "../../terms/json.ts";

/** Which claims of a provider count here, and for what: settings of the group `oidc`. */
export interface ClaimSettings {
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Groups whose members have this role. */
  readonly viewers: readonly string[];
  readonly operators: readonly string[];
  readonly owners: readonly string[];
}

/** Somebody for whom the provider vouches. */
export interface Person {
  /** SHA-256 of who it is for the provider, lower-case hex. It stays when the name changes. */
  readonly digest: string;
  /** What the provider calls them, for good. */
  readonly subject: string;
  /** As the audit trail shows it. */
  readonly name: string;
  /** The highest that one of the groups has; `null` if none has one. */
  readonly role: Role | null;
}

export function personOfClaims(claims: JsonObject, settings: ClaimSettings): Person {
  // `openid-client` has made sure that both are texts.
  const [issuer, subject] = [claims["iss"], claims["sub"]] as [string, string];
  const digest = hash("sha256", JSON.stringify([issuer, subject]), "hex");
  return { digest, subject, name: nameOf(claims, settings, digest), role: roleOf(claims, settings) };
}

/** Whether they lack something that a provider may tell only when it is asked once more. */
export function isWithoutClaims(claims: JsonObject, { nameClaim, groupsClaim }: ClaimSettings): boolean {
  const wanted = [nameClaim, groupsClaim].flatMap((name) => (name === EMAIL ? [EMAIL, VERIFIED] : [name]));
  return wanted.some((name) => claims[name] === undefined);
}

/**
 * The claims of an ID token, and those that it lacks from what the provider told when it was asked once more. Whether an
 * address is verified is said of that address, so both come from the same place.
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

/** Names have no capitals, so that two that differ only in them are one person's. What is not a name is replaced by one. */
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

/** The texts of a claim. An e-mail address that the provider has not verified is whatever somebody typed in there. */
function textsIn(claims: JsonObject, name: string): readonly string[] {
  if (name === EMAIL && claims[VERIFIED] !== true) return [];
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  const typedIn = claims[VERIFIED] === false && typeof claims[EMAIL] === "string" ? claims[EMAIL].toLowerCase() : null;
  return texts.filter((one) => one.toLowerCase() !== typedIn);
}
