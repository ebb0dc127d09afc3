import { createClient, createConfig } from "./generated/client/index.js";
import { runData, runFunction, status } from "./generated/index.js";
import type { DataRequest, FuncResponse, PassthroughResponse } from "./generated/index.js";

export async function ask(baseUrl: string, token: string, workflow: string): Promise<unknown[]> {
  const client = createClient(createConfig({ baseUrl, auth: token, headers: { "X-Service-Workflow": workflow } }));
  const body: DataRequest = {
    config: {
      sources: { acme__phone: true, bell__report: { credentials: { api_key: "key-of-bell" }, cred_id: "cred_1" } },
    },
    inputs: { phone: "+44 20 7946 0958", address: { city: "London" }, tags: ["a"] },
  };
  const run = await runData({ client, body });
  const bell = run.data?.status["bell__report"];
  const standard = await runFunction({ client, body: { config: { data_func: "dfunc_echo" }, case_number: 7 } });
  const answer = standard.data as FuncResponse | undefined;
  const passed = standard.data as PassthroughResponse | undefined;
  const build = await status({ client });
  return [
    run.data?.outputs["acme__phone"]?.["e164"],
    bell?.success,
    bell?.failure?.retryable,
    bell?.failure?.charged === "unknown",
    answer?.outputs["dfunc_echo"]?.output["case_number"],
    passed?.["echoed"],
    run.error,
    build.data?.git_derived_version,
  ];
}
