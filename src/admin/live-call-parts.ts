import type { LiveCallParts } from "./authoring/ports.ts";
import { requireOrganization, unknownCredential } from "./require.ts";
import type { VerbCall } from "./needs.ts";

/** With whose credential a vendor is to be asked. */
export interface LiveCallFor {
  readonly org: string | undefined;
  readonly credential: string | undefined;
}

/** What a verb that asks a vendor for real hands over to `askVendor`. */
export function liveCallParts(
  call: VerbCall<"store" | "finder" | "authoring">,
  { org, credential }: LiveCallFor,
): LiveCallParts {
  const { act, clock, store, finder, authoring } = call;
  return {
    act,
    clock,
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
