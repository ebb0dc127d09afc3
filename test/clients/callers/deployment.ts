import createClient from "openapi-fetch";
import type { components, paths } from "./deployed.d.ts";
import { runData } from "./generated-deployment/index.js";

/** The fields of this deployment's sources, by either generator. */
export async function ask(baseUrl: string) {
  const body = {
    config: { sources: { google__phone_number: true, hibp__breached_account: { credentials: { api_key: "key" } } } },
    inputs: { phone: "+44 20 7946 0958", email: "ada@example.com" },
  } satisfies components["schemas"]["DataRequest"];
  const { data } = await createClient<paths>({ baseUrl }).POST("/data", { body });
  const { data: other } = await runData({ baseUrl, body });
  const [phone, same] = [data?.outputs.google__phone_number, other?.outputs.google__phone_number];
  // A source without a record, or that has failed, has another object.
  const read: string | undefined = phone !== undefined && "e164" in phone ? phone.e164 : undefined;
  const also: unknown = same !== undefined && "e164" in same ? same.e164 : undefined;
  return { read, also };
}
