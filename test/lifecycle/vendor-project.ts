import type { TestContext } from "node:test";
import { project } from "../start/project-folder.ts";
import type { Vendor } from "../vendor/scripted-vendor.ts";

/** What each request costs, in euros. */
export const LIST_PRICE = "0.07";

/** A project folder whose sources ask one vendor, each at a path of its own; by name, without `acme__`. */
export function vendorProject(
  t: TestContext,
  vendor: Pick<Vendor, "origin">,
  paths: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): string {
  const sources = Object.entries(paths).map(([name, path]) => [
    `sources/${name}.mjs`,
    `export default { id: "acme__${name}", title: "T", origins: ["${vendor.origin}"], inputs: { type: "object", properties: { id: {} } },
       charge: { model: "per_call", amount: ${LIST_PRICE}, currency: "EUR" },
       run: ({ http, inputs }) => http.get("${vendor.origin}${path}", { query: inputs }) };`,
  ]);
  return project(t, { ...Object.fromEntries(sources), ...files });
}
