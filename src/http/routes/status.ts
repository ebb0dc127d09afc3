/** What is deployed (specification 2.8); known at the start, so that answering does no I/O. */
export interface Deployment {
  readonly gitSha: string;
  readonly gitDerivedVersion: string;
}

/** The body of `GET /status`, made once. */
export function statusBody(deployment: Deployment): string {
  return JSON.stringify({
    status: "OK",
    git_sha: deployment.gitSha,
    git_derived_version: deployment.gitDerivedVersion,
  });
}
