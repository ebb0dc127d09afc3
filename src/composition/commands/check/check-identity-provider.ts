import { ProviderProblem } from "../../../admin/http/identity-provider/provider-problem.ts";
import { openIdentityProvider } from "../../open-identity-provider.ts";
import { createLog } from "../../../operate/log.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { reasonOf } from "../reason-of.ts";
import type { CheckReport } from "./findings.ts";

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
