import { makeAccessToken, tokenDigest } from "../access/access-token.ts";
import { newId } from "../terms/ids.ts";
import type { NamedWorkflow, RunAccess, RunService } from "./ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { requireWorkflow } from "./require.ts";
import type { VerbCall } from "./needs.ts";
import { toWireTime } from "./result-schemas.ts";

/** Longer than any function runs. */
const TOKEN_MS = 5 * 60_000;

/**
 * Makes one run through the service of this data directory, as a client of a workflow would, with a token that is valid
 * only for this run. The token's id connects the run in the ledger with the operator in the audit trail. A token that
 * cannot be revoked is only a remark: the run may have been billed, so its answer must not be lost.
 * @throws OperatorError
 */
export async function runAsClient<Result>(
  call: VerbCall<"store" | "service">,
  workflowId: string,
  tokenName: string,
  run: (service: RunService, access: RunAccess) => Promise<Result>,
): Promise<Result> {
  const store = await call.store();
  const workflow: NamedWorkflow = await requireWorkflow(store, workflowId);
  if (workflow.disabled) throw new OperatorError("refused", "The workflow is disabled.");
  const organization = await store.organization(workflow.organizationId);
  if (organization?.disabled === true) throw new OperatorError("refused", "The organization is disabled.");
  const service = await call.service();
  const accessToken = makeAccessToken();
  const { act } = call;
  const id = newId("token", act.wallAt);
  // Read after waiting for the service.
  const expiresWallAt = call.clock.wall() + TOKEN_MS;
  await store.createToken(act, {
    id,
    organizationId: workflow.organizationId,
    name: tokenName.slice(0, 200),
    digest: tokenDigest(accessToken),
    createdWallAt: act.wallAt,
    expiresWallAt,
  });
  try {
    return await run(service, { accessToken, tokenId: id, workflow: workflow.id });
  } finally {
    await store.revokeToken({ ...act, wallAt: call.clock.wall() }, { id }).catch(() => {
      const until = toWireTime(expiresWallAt);
      call.note(
        `The token of this run could not be revoked, so it stays valid until ${until}. To end it before then: datarun token revoke ${id}`,
      );
    });
  }
}
