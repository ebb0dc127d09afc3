import { Type } from "../../terms/schema/type.ts";
import { STATUS_EXAMPLES } from "../examples.ts";
import type { ReadRoute } from "../route.ts";

const Status = Type.Object(
  {
    status: Type.Literal("OK"),
    git_sha: Type.String({ pattern: "^([0-9a-f]{40}|unknown)$", description: "Deployed commit." }),
    git_derived_version: Type.String({ description: "Version derived from that commit." }),
  },
  { title: "Status" },
);

export const statusRoute: ReadRoute = {
  method: "GET",
  path: "/status",
  operationId: "status",
  summary: "Report that the process accepts requests, and which build it is",
  description: "Needs no authentication and calls no vendor.",
  answers: { description: "The process accepts requests.", schemas: { Status } },
  examples: STATUS_EXAMPLES,

  makeBody: ({ deployment }) =>
    JSON.stringify({
      status: "OK",
      git_sha: deployment.gitSha,
      git_derived_version: deployment.gitDerivedVersion,
    }),
};
