import type {
  CredentialFinder,
  CredentialRequest,
  CredentialRule,
  ResolvedCredential,
  RunObserver,
} from "../run/ports.ts";
import { CachedLookup, LIST_LOOKUP, type LookupLimits, type LookupStats } from "../terms/collections/cached-lookup.ts";
import type { Clock } from "../terms/time/clock.ts";
import { asFault, Fault, regionFault } from "../terms/fault.ts";
import { Secret } from "../terms/secret.ts";
import { chooseCredential, hasInline, REASONS, RULES, type Choice, type Verdict } from "./choose-credential.ts";
import { createInlineScopes } from "./inline-scope.ts";
import { StoredCredentials } from "./stored-credentials.ts";
import type { BilledCalls } from "./billed-calls.ts";
import type { CredentialStore, SealedCredential } from "./ports.ts";
import { BoundedMap } from "../terms/collections/bounded-map.ts";
import { SecretUnavailable } from "./references/secret-unavailable.ts";
import { type ReferencedField, SecretReferences } from "./references/secret-references.ts";
import type { Sealer } from "./sealer.ts";

/** The credential that a run would use, and the result of every rule on the way. */
export interface Explanation {
  readonly rule: CredentialRule;
  readonly credentialId: string | null;
  /** False if the search ended with a refusal: the source fails and nothing is sent. */
  readonly usable: boolean;
  readonly steps: readonly ExplainedStep[];
  /** The fields of the credential whose values are kept elsewhere. */
  readonly references: readonly ReferencedField[];
}

export interface ExplainedStep {
  readonly rule: CredentialRule;
  readonly verdict: Verdict | "not reached";
  readonly reason: string;
  readonly credentialId: string | null;
}

export interface CredentialFinderWithReasons extends CredentialFinder, RunObserver {
  /**
   * The same search with the result of each rule. @throws Fault `source.credential_unavailable` if the store does not
   * answer
   */
  explain(request: CredentialRequest): Promise<Explanation>;
  stats(): LookupStats;
}

export interface CredentialFinderParts {
  readonly store: Pick<CredentialStore, "credentialsFor" | "pricesFor" | "version">;
  readonly sealer: Pick<Sealer, "dataKey">;
  readonly billedCalls: Pick<BilledCalls, "open">;
  /** The values of fields that are kept elsewhere. Without it, a credential with such fields cannot be used. */
  readonly references?: SecretReferences;
  readonly clock: Clock;
  readonly limits?: Partial<LookupLimits>;
  /** See `scopeKeyOf`. Without it, the scopes of inline credentials are unique to this process. */
  readonly scopeKey?: Uint8Array | undefined;
}

/** Credentials with references that are remembered at once. */
const REFERRING_MAX = 10_000;

/**
 * The same message whether the id is unknown, belongs to another organization or source, is disabled, or is not allowed
 * in this context.
 */
const NAMED_PROBLEM = "the credential named by cred_id cannot be used";

export function createCredentialFinder({
  store,
  sealer,
  billedCalls,
  clock,
  references = new SecretReferences({
    clock,
    ttlMs: 0,
    read: () => Promise.reject(new SecretUnavailable("there is no access to it here")),
  }),
  limits,
  scopeKey,
}: CredentialFinderParts): CredentialFinderWithReasons {
  /** The references of credentials in use, by credential id. */
  const inUse = new BoundedMap<string, ReadonlyMap<string, string>>(REFERRING_MAX);
  const inlineScope = createInlineScopes(scopeKey);
  const lists = new CachedLookup<StoredCredentials>(
    {
      find: async (key) => {
        const end = key.indexOf(" ");
        const organizationId = key.slice(0, end);
        const source = key.slice(end + 1);
        const [found, prices] = await Promise.all([
          store.credentialsFor(organizationId, source),
          store.pricesFor(organizationId, source),
        ]);
        return StoredCredentials.load({ found, prices }, organizationId, source, { sealer, billedCalls });
      },
      // An empty list is cached too, so that it is known while the store is down.
      isAbsent: () => false,
      version: () => store.version(),
      ownerOf: (key) => key.slice(0, key.indexOf(" ")),
    },
    clock,
    { ...LIST_LOOKUP, ...limits },
  );

  async function listFor(request: CredentialRequest): Promise<StoredCredentials> {
    if (hasInline(request)) return StoredCredentials.NONE;
    return lists.get(`${request.organizationId} ${request.source}`).catch(unavailable);
  }

  function take(request: CredentialRequest, list: StoredCredentials, choice: Choice | null): ResolvedCredential | null {
    if (choice === null) return null;
    const { rule, judgement } = choice;
    if (judgement.verdict === "refuses") throw refusal(choice);
    if (judgement.credential !== null) return found(rule, judgement.credential, request.region, list);
    const { organizationId, account } = request;
    const fields = request.inline ?? {};
    return {
      credentialId: null,
      rule,
      fields: new Secret(fields),
      scope: inlineScope(organizationId, fields),
      ...(account !== undefined && { account: inlineScope(organizationId, account) }),
      prices: null,
    };
  }

  /** Fields that a request sends are values, whatever they contain. */
  function referencesOf({ credentialId, fields }: ResolvedCredential): ReadonlyMap<string, string> | null {
    return credentialId === null ? null : references.among(fields);
  }

  return {
    async find(request) {
      const list = await listFor(request);
      const taken = take(request, list, chooseCredential(request, list.rows));
      const kept = taken === null ? null : referencesOf(taken);
      if (taken === null || kept === null) return taken;
      inUse.set(taken.credentialId!, kept);
      const { fields, generation } = await references.fill(taken.fields, kept);
      // What was made with other values, such as an access token, belongs to another scope.
      return { ...taken, fields, scope: `${taken.scope}/${generation}` };
    },
    async explain(request) {
      const list = await listFor(request);
      const choices: Choice[] = [];
      const choice = chooseCredential(request, list.rows, (step) => choices.push(step));
      let taken: ResolvedCredential | null = null;
      const fault = attempt(() => (taken = take(request, list, choice)));
      const kept = taken === null ? null : referencesOf(taken);
      const described = kept === null ? [] : await references.describe(kept);
      return explanation(choices, choice, fault, described);
    },
    // A vendor's rejection is the first sign of a value that was changed elsewhere.
    runEnded({ calls }) {
      if (inUse.size === 0) return;
      for (const { credentialId, fault } of calls) {
        if (credentialId === null || fault?.code !== "source.credential_rejected") continue;
        const kept = inUse.get(credentialId);
        if (kept !== undefined) references.rejected(kept);
      }
    },
    stats: () => lists.stats,
  };
}

/** Checks regions before it opens a credential, so that a credential is never opened where it must not be used. */
function found(
  rule: CredentialRule,
  row: SealedCredential,
  region: string,
  list: StoredCredentials,
): ResolvedCredential {
  const refused = regionFault("the credential", row.regions, region);
  if (refused !== null) throw refused;
  const scope = `${row.organizationId}/${row.id}/${row.version}`;
  try {
    return { credentialId: row.id, rule, fields: list.open(row), scope, prices: list.pricesOf(row) };
  } catch (thrown) {
    if (!(thrown instanceof Fault) || rule !== "named") throw thrown;
    throw new Fault(thrown.code, { ...thrown.detail, problem: NAMED_PROBLEM }, { cause: thrown });
  }
}

function refusal({ rule, judgement }: Choice): Fault {
  const credentialId = judgement.credential?.id;
  return new Fault("source.credential_missing", {
    problem: NAMED_PROBLEM,
    rule,
    reason: judgement.reason,
    credentialId,
  });
}

function unavailable(thrown: unknown): never {
  throw asFault(thrown, "source.credential_unavailable");
}

function whyUnusable({ code, detail, says }: Fault): string {
  if (code === "source.region_refused") return says.replace(/^[^:]*: the credential/, "it");
  const because = detail["reason"];
  return `it cannot be opened: ${typeof because === "string" ? because : code}`;
}

function attempt(take: () => ResolvedCredential | null): Fault | null {
  try {
    take();
    return null;
  } catch (thrown) {
    return asFault(thrown, "source.credential_missing");
  }
}

function explanation(
  considered: readonly Choice[],
  choice: Choice | null,
  fault: Fault | null,
  references: readonly ReferencedField[],
): Explanation {
  const isRead = references.every(({ ageMs }) => ageMs !== null);
  const steps = RULES.map((rule): ExplainedStep => {
    const judgement = considered.find((step) => step.rule === rule)?.judgement;
    if (judgement === undefined) {
      return { rule, verdict: "not reached", reason: "an earlier rule has decided", credentialId: null };
    }
    const credentialId = judgement.credential?.id ?? null;
    if (judgement.verdict === "takes" && fault !== null) {
      const reason = `${REASONS[judgement.reason]}, but ${whyUnusable(fault)}`;
      return { rule, verdict: "refuses", reason, credentialId };
    }
    return { rule, verdict: judgement.verdict, reason: REASONS[judgement.reason], credentialId };
  });
  const credentialId = choice?.judgement.credential?.id ?? null;
  return {
    rule: choice?.rule ?? "none",
    credentialId,
    usable: choice !== null && fault === null && isRead,
    steps,
    references,
  };
}
