import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Type } from "../../../terms/schema/type.ts";
import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { givenOf, nameInput, organizationInput, sourceInput } from "../../shared-inputs.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { requireOrganization } from "../../require.ts";
import { orNull, rowsOf, text, time, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List vendor credentials, newest first",
  description:
    "Their fields are shown by name only. The time of last use is the start of the newest run in the ledger that used the credential; it is null if none did, and left out if the ledger cannot be read. Deleted credentials are not listed; the ledger still refers to them.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    org: Type.Optional({ ...organizationInput, description: "Only those of this organization" }),
    source: Type.Optional({ ...sourceInput, description: "Only those for this source" }),
    name: Type.Optional(
      nameInput("Only those with this in their name, in any case; the first 50 characters of names are searched"),
    ),
    ...pagedById(PREFIX.credential),
  },
  role: "viewer",
  changes: false,
  needs: ["store", "ledger"],

  result: Type.Object({
    credentials: rowsOf({
      ...wireCredential.properties,
      organization_tuid: text,
      organization: { ...text, description: "The name of the organization" },
      last_used_at: Type.Optional(orNull(time)),
    }),
    ...nextCursor,
  }),

  async run({ org, source, name, ...page }, { store, ledger, note }) {
    const open = await store();
    if (org !== undefined) await requireOrganization(open, org);
    const filter = givenOf({ organizationId: org, source, name });
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.credentials(filter, asked));
    const owners = await open.findByIds(lines.map(({ organizationId }) => organizationId));
    const uses = await readUses(ledger, lines.map(idOf), note);
    return {
      credentials: lines.map((credential) => ({
        ...toWireCredential(credential),
        organization_tuid: credential.organizationId,
        organization: owners.get(credential.organizationId)?.name ?? "",
        ...(uses !== null && { last_used_at: toWireTime(uses.get(credential.id) ?? null) }),
      })),
      ...next,
    };
  },
});

/** `null` if the ledger cannot be read; the list itself does not need it. */
async function readUses(
  ledger: () => Promise<Pick<LedgerAnswers, "lastUses">>,
  ids: readonly string[],
  note: (sentence: string) => void,
): Promise<ReadonlyMap<string, number> | null> {
  if (ids.length === 0) return new Map();
  try {
    const uses = await (await ledger()).lastUses(ids);
    return new Map(uses.map(({ credentialId, wallAt }) => [credentialId, wallAt]));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // Before the first start of a service nothing has been used.
    if (error.code === "not_found") return new Map();
    note(`Their times of last use are not known: ${error.message}`);
    return null;
  }
}
