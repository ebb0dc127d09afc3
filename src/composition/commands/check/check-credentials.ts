import type { StoredCredential } from "../../../admin/ports.ts";
import type { Store } from "../../../storage/store.ts";
import { regionFault } from "../../../terms/fault.ts";
import type { CheckedSources } from "./check-project.ts";
import type { CheckReport } from "./findings.ts";

/** Reports stored credentials that no run of this deployment can use. */
export async function checkCredentials(
  { admin }: Store,
  { all, on }: CheckedSources,
  region: string,
  report: CheckReport,
): Promise<void> {
  for (const { id: organization, disabled } of await admin.organizations()) {
    if (disabled) continue;
    const credentials = (await admin.credentials({ organizationId: organization })).filter(
      (credential) => !credential.disabled,
    );
    const bySource = Map.groupBy(credentials, ({ source }) => source);
    for (const [source, ofSource] of bySource) {
      const ids = `${ofSource.map(({ id }) => id).join(", ")} of ${organization}`;
      if (!all.has(source)) report.add("credential.names_nothing", `${ids}: there is no source ${source}`);
      else if (!on.has(source)) report.add("credential.names_nothing", `${ids}: the source ${source} is off`);
      else if (ofSource.every((credential) => isRefused(credential, region)))
        report.add("credential.region_refused", `${ids}: for ${source}, but not in the region ${region}`);
    }
  }
}

function isRefused({ regions }: StoredCredential, region: string): boolean {
  return regionFault("the credential", regions, region) !== null;
}
