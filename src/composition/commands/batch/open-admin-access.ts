import type { CommandIo } from "../../../admin/cli/command-io.ts";
import { findVerbs } from "../../../admin/find-verbs.ts";
import { findRemote } from "../../../admin/cli/remote/find-remote.ts";
import { runVerb } from "../../../admin/run-verb.ts";
import type { AdminAccess } from "../../../batch/ports.ts";
import type { DeploymentSelection, OpenedForVerb } from "../../../admin/cli/run-cli.ts";

export interface OpenedAdminAccess {
  readonly admin: AdminAccess;
  close(): Promise<void>;
}

/** The verbs of the service that `--remote` names or, without it, those of this machine's data directory. */
export async function openAdminAccess(
  remoteAddress: string | undefined,
  place: Pick<DeploymentSelection, "dataDir" | "project"> & { readonly makesStore?: boolean },
  environment: CommandIo["env"],
): Promise<OpenedAdminAccess> {
  const remote = findRemote(remoteAddress, environment);
  // Remarks are for a person who has typed the verb.
  const note = (): void => {};
  if (remote !== null) {
    const { askRemote } = await import("../../../admin/cli/remote/ask-remote.ts");
    const observer = { note, onProgress: () => {} };
    return { admin: { ask: (verb, input) => askRemote(remote, verb, input, observer) }, close: async () => {} };
  }
  const verbs = findVerbs();
  const { openVerbs } = await import("../../verb-needs/terminal-needs.ts");
  // What a verb opens stays open for the next one.
  const opened = new Map<string, Promise<OpenedForVerb>>();
  const openFor: typeof openVerbs = (where, needs) => {
    const key = [...needs].sort().join();
    const before = opened.get(key) ?? openVerbs(where, needs, note);
    opened.set(key, before);
    return before;
  };
  return {
    admin: {
      async ask(name, input) {
        const verb = await verbs.load(name);
        const { given } = await openFor({ makesStore: false, ...place }, verb.needs, note);
        return runVerb(name, verb, input, given);
      },
    },
    async close() {
      for (const each of opened.values()) await each.then(({ close }) => close()).catch(() => {});
    },
  };
}
