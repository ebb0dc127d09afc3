import createClient from "openapi-fetch";
import type { components, paths } from "./datarun.d.ts";

/** What this caller made of the answers. */
export interface Seen {
  readonly phone: unknown;
  readonly failure: components["schemas"]["SourceFailureKind"] | "another" | undefined;
  readonly functionFailure: string | undefined;
  readonly retryable: boolean | undefined;
  readonly charged: "yes" | "no" | "unknown" | undefined;
  readonly functionOutput: unknown;
  readonly ownField: unknown;
  readonly refused: string | undefined;
  readonly build: string | undefined;
}

/** A kind that this version of the contract has, or any other: the type is no closed list. */
function known(kind: string | undefined): Seen["failure"] {
  const kinds = [
    "timeout",
    "vendor_5xx",
    "adapter",
  ] as const satisfies readonly components["schemas"]["SourceFailureKind"][];
  return kind === undefined ? undefined : (kinds.find((one) => one === kind) ?? "another");
}

export async function ask(baseUrl: string, token: string, workflow: string): Promise<Seen> {
  const client = createClient<paths>({
    baseUrl,
    headers: { "X-Service-Access-Token": token, "X-Service-Workflow": workflow },
  });

  const body = {
    config: { sources: { acme__phone: true, bell__report: { credentials: { api_key: "key-of-bell" } } } },
    inputs: { phone: "+44 20 7946 0958", address: { city: "London" }, tags: ["a"] },
  } satisfies components["schemas"]["DataRequest"];
  const run = await client.POST("/data", { body });
  const bell = run.data?.status["bell__report"];

  const standard = await client.POST("/func", {
    // Only the first field has a meaning to the endpoint; the function gets both.
    body: { config: { context: "test", data_func: "dfunc_echo" }, case_number: 7 },
  });
  const answer = standard.data as components["schemas"]["FuncResponse"] | undefined;

  const passed = await client.POST("/func", {
    body: { config: { data_func: "dfunc_echo", datafunc_response_passthrough: true } },
  });
  const own = passed.data as components["schemas"]["PassthroughResponse"] | undefined;

  // The contract requires a source, and its types refuse this body.
  const nothing = { config: {}, workflow: null } as unknown as components["schemas"]["DataRequest"];
  const refused = await client.POST("/data", { body: nothing });
  const unknown = await client.POST("/func", { body: { config: { data_func: "dfunc_ehco" } } });
  const { status: statuses } = unknown.data as components["schemas"]["FuncResponse"];
  const status = await client.GET("/status");

  return {
    phone: run.data?.outputs["acme__phone"]?.["e164"],
    failure: known(bell?.failure?.kind),
    functionFailure: statuses["dfunc_ehco"]?.failure?.kind,
    retryable: bell?.failure?.retryable,
    charged: bell?.failure?.charged,
    functionOutput: answer?.outputs["dfunc_echo"]?.output["case_number"],
    ownField: own?.["echoed"],
    refused: refused.error?.error.code,
    build: status.data?.git_derived_version,
  };
}
