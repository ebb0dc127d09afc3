import type { VerbNeeds } from "../../../admin/needs.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

/** A service for runs: the running one, or one for the duration of the command. */
export function serviceNeeds({
  dataDir,
  project,
  databaseUrl,
  clock,
  note,
  once,
}: DeploymentRef): Pick<VerbNeeds, "service" | "serviceState"> {
  const attached = once(
    async () => {
      const { attachService } = await import("./attach-service.ts");
      return attachService({ dataDir, project, databaseUrl, clock, note }).catch(unavailable);
    },
    ({ close }) => close(),
  );
  return {
    serviceState: () => null,
    service: async () => {
      const { url, isOwn } = await attached();
      note(
        isOwn
          ? "No service runs on this data directory: one was started for this command."
          : `It runs in the service at ${url}, with the files that the service has loaded: "datarun start" loads a new file at its next start, "datarun dev" at once.`,
      );
      const { toRunService } = await import("../../run-service.ts");
      return toRunService(url);
    },
  };
}
