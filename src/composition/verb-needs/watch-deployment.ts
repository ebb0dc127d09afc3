import { relative } from "node:path";
import type { DeploymentSelection, ProjectChanges } from "../../admin/cli/run-cli.ts";
import { projectOf } from "../../project/config-file.ts";
import { watchProject } from "../../project/watch-project.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** Watches the project of a command. @throws OperatorError without a project */
export async function watchDeployment({ project: named }: DeploymentSelection): Promise<ProjectChanges> {
  const project = projectOf({ project: named }, process.env, process.cwd());
  if (project === undefined)
    throw new OperatorError("invalid", "There is no project folder to watch: name one with --project.");
  let unseen = new Set<string>();
  let told = Promise.withResolvers<void>();
  const unwatch = watchProject(project, (files) => {
    for (const file of files) unseen.add(file);
    told.resolve();
  });
  return {
    async next() {
      await told.promise;
      const files = [...unseen].map((file) => relative(project, file)).sort();
      [unseen, told] = [new Set(), Promise.withResolvers()];
      return files;
    },
    close: unwatch,
  };
}
