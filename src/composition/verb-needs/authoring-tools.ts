import type { AuthoringTools } from "../../admin/authoring/ports.ts";
import type { CaseParts } from "../../simulation/ports.ts";
import type { LoadedSources } from "../../project/load-sources.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../sources/runnable.ts";
import { createSchemas } from "../../terms/schema/author-schemas.ts";
import { readDeployment } from "../deployment.ts";

export interface AuthoringParts {
  readonly project: string | undefined;
  readonly loaded: LoadedSources;
  readonly cases: CaseParts;
  readonly askLive: AuthoringTools["askLive"];
}

/** The tools for writing and testing sources. */
export function toAuthoringTools({ project, loaded, cases, askLive }: AuthoringParts): AuthoringTools {
  return {
    project,
    cases,
    askLive,
    problems: loaded.problems.map(({ message }) => message),
    fileOf(id) {
      const found = loaded.all.get(id);
      return found === undefined ? undefined : { path: found.file, from: found.from };
    },
    version: () => readDeployment(PACKAGE_ROOT).gitDerivedVersion,
    compile: (text, file) => toRunnable(compileDeclarative(text, file), createSchemas(), "now"),
  };
}
