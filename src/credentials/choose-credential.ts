import type { CredentialRequest, CredentialRule } from "../run/ports.ts";
import type { SealedCredential } from "./ports.ts";

/**
 * The result of one rule. `passes` continues with the next rule. `refuses` ends the search, because any other
 * credential would bill another contract.
 */
export type Verdict = "takes" | "passes" | "refuses";

export interface Judgement {
  readonly verdict: Verdict;
  /** Shown to operators and in the log. */
  readonly reason: keyof typeof REASONS;
  /** The stored credential that the rule considered. */
  readonly credential: SealedCredential | null;
}

export interface Choice {
  readonly rule: CredentialRule;
  readonly judgement: Judgement;
}

export const REASONS = {
  inline_given: "the source entry carries credential fields, which are the whole credential",
  inline_absent: "the source entry carries no credential fields",
  named_usable: "cred_id names it",
  named_absent: "no cred_id was given",
  named_unknown: "this organization has no credential with this cred_id for this source",
  named_disabled: "the credential named by cred_id is disabled",
  named_context: "the credential named by cred_id is not allowed in this context",
  auto_newest: "it is the newest active credential for this source and context",
  auto_off: "the workflow does not select credentials by itself",
  auto_none: "this organization has no active credential for this source and context",
  default_usable: "it is the organization's default for this source and context",
  default_none: "this organization has no active default for this source and context",
} as const;

type Rule = (request: CredentialRequest, stored: readonly SealedCredential[]) => Judgement;

/** The order of decision 0012. It is defined only here. */
const ORDER: readonly (readonly [CredentialRule, Rule])[] = [
  ["inline", judgeInline],
  ["named", judgeNamed],
  ["auto", judgeAuto],
  ["default", judgeDefault],
];

export const RULES: readonly CredentialRule[] = ORDER.map(([rule]) => rule);

/**
 * Applies the rules in order; `null` if all pass. `stored`: the organization's credentials for the source, newest
 * first.
 */
export function chooseCredential(
  request: CredentialRequest,
  stored: readonly SealedCredential[],
  onChoice?: (choice: Choice) => void,
): Choice | null {
  for (const [rule, judge] of ORDER) {
    const judgement = judge(request, stored);
    onChoice?.({ rule, judgement });
    if (judgement.verdict !== "passes") return { rule, judgement };
  }
  return null;
}

/** True even if the source declares none of the fields in the request: another contract must not be billed instead. */
export function hasInline(request: CredentialRequest): boolean {
  return request.inline !== undefined;
}

function judgeInline(request: CredentialRequest): Judgement {
  return hasInline(request) ? judgment("takes", "inline_given") : judgment("passes", "inline_absent");
}

function judgeNamed(request: CredentialRequest, stored: readonly SealedCredential[]): Judgement {
  if (request.credentialId === undefined) return judgment("passes", "named_absent");
  const credential = stored.find(({ id }) => id === request.credentialId);
  if (credential === undefined) return judgment("refuses", "named_unknown");
  if (credential.disabled) return judgment("refuses", "named_disabled", credential);
  if (!allows(credential, request)) return judgment("refuses", "named_context", credential);
  return judgment("takes", "named_usable", credential);
}

function judgeAuto(request: CredentialRequest, stored: readonly SealedCredential[]): Judgement {
  if (!request.autoSelect) return judgment("passes", "auto_off");
  const credential = stored.find((row) => !row.disabled && allows(row, request));
  return credential === undefined ? judgment("passes", "auto_none") : judgment("takes", "auto_newest", credential);
}

function judgeDefault(request: CredentialRequest, stored: readonly SealedCredential[]): Judgement {
  const credential = stored.find((row) => row.isDefault && !row.disabled && allows(row, request));
  return credential === undefined
    ? judgment("passes", "default_none")
    : judgment("takes", "default_usable", credential);
}

function allows(credential: SealedCredential, { context }: CredentialRequest): boolean {
  return credential.contexts.length === 0 || credential.contexts.includes(context);
}

function judgment(
  verdict: Verdict,
  reason: keyof typeof REASONS,
  credential: SealedCredential | null = null,
): Judgement {
  return { verdict, reason, credential };
}
