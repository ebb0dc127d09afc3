import type { LiveCallParts } from "./authoring/ports.ts";
import { requireOrganization, unknownCredential } from "./require.ts";
import type { VerbCall } from "./needs.ts";

/** The owner of the credential that a real call uses. */
export interface LiveCallFor {
  readonly org: string | undefined;
  readonly credential: string | undefined;
}

/** The arguments of `askVendor`, for verbs that make real calls. */
export function liveCallParts(
  call: VerbCall<"store" | "finder" | "authoring">,
  { org, credential }: LiveCallFor,
): LiveCallParts {
  const { act, clock, note, store, finder, authoring } = call;
  return {
    act,
    clock,
    note,
    trail: store,
    finder,
    askLive: async (question) => (await authoring()).askLive(question),
    owner: async () => {
      const open = await store();
      if (org !== undefined) await requireOrganization(open, org);
      if (credential === undefined) return org ?? null;
      const stored = await open.credential(credential);
      if (stored === null || (org !== undefined && stored.organizationId !== org)) throw unknownCredential(credential);
      return stored.organizationId;
    },
  };
}
