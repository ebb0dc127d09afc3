import { ProviderProblem } from "../../../admin/http/identity-provider/provider-problem.ts";
import { createLog } from "../../../operate/log.ts";
import type { OutboundClient } from "../../../outbound/http-client.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { openIdentityProvider } from "../../open-identity-provider.ts";
import { reasonOf } from "../reason-of.ts";
import type { CheckedSources } from "./check-project.ts";
import type { CheckReport } from "./findings.ts";

const AT_ONCE = 8;

/**
 * Connects to every origin of the sources that are on, as a call would, and sends nothing. Origins that are patterns
 * have no host to connect to.
 */
export async function checkConnections(
  door: OutboundClient,
  { on }: CheckedSources,
  report: CheckReport,
): Promise<void> {
  const files = new Map<string, string>();
  for (const { source, file } of on.values())
    for (const origin of source.declaration.origins ?? [])
      if (!origin.includes("*") && !files.has(origin)) files.set(origin, file);
  const waiting = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const failed: { readonly origin: string; readonly file: string; readonly says: string }[] = [];
  const next = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const [origin, file] = each;
      const error = await door.tryOrigin(origin);
      if (error !== null) failed.push({ origin, file, says: `${origin}: ${error.message}${codeOf(error.cause)}` });
    }
  };
  report.facts["origins_tried"] = waiting.length;
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  for (const { says, file } of failed.sort((a, b) => (a.origin < b.origin ? -1 : 1)))
    report.add("connect.failed", says, { file });
}

/** The error code, such as ECONNREFUSED or CERT_HAS_EXPIRED; if several addresses were tried, that of the first. */
function codeOf(cause: unknown): string {
  const { code, errors } = (cause ?? {}) as { readonly code?: string; readonly errors?: readonly { code?: string }[] };
  const found = code ?? errors?.[0]?.code;
  return found === undefined ? "" : ` (${found})`;
}

/** Checks that people can log in with the identity provider, if one is set. Connects to it only with `--connect`. */
export async function checkIdentityProvider(
  settings: Settings,
  clock: Clock,
  connect: boolean,
  report: CheckReport,
): Promise<void> {
  const { issuer, viewers, operators, owners } = settings.oidc;
  if (issuer === undefined) return;
  report.facts["identity_provider"] = issuer;
  if (viewers.length + operators.length + owners.length === 0)
    report.add("login.no_roles", "oidc.viewers, oidc.operators and oidc.owners are empty");
  if (!connect) return;
  try {
    await openIdentityProvider({ settings, clock, log: createLog("error", "/dev/null") })!.client.discover();
  } catch (error) {
    report.add("connect.identity_provider", error instanceof ProviderProblem ? error.message : reasonOf(error));
  }
}
