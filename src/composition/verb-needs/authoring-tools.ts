import type { AuthoringTools } from "../../admin/authoring/ports.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../sources/runnable.ts";
import { createSchemas } from "../../terms/schema/author-schemas.ts";
import { readDeployment } from "../deployment.ts";
import { callLiveVendor } from "../live-vendors.ts";
import type { NeedParts } from "./need-parts.ts";

/** The tools for writing and testing sources. The client for real vendors is opened at the first call. */
export async function openAuthoringTools(parts: NeedParts): Promise<AuthoringTools> {
  const { settings, clock } = parts;
  const { loaded } = await parts.sources();
  return {
    project: settings.project,
    cases: { door: await parts.casesClient(), clock },
    askLive: async (question) => {
      const client = await parts.vendorClient();
      return callLiveVendor(question, { client, region: settings.region, clock, budgets: await parts.budgets() });
    },
    problems: loaded.problems.map(({ message }) => message),
    fileOf(id) {
      const found = loaded.all.get(id);
      return found === undefined ? undefined : { path: found.file, from: found.from };
    },
    version: () => readDeployment(PACKAGE_ROOT).gitDerivedVersion,
    compile: (text, file) => toRunnable(compileDeclarative(text, file), createSchemas(), "now"),
  };
}
