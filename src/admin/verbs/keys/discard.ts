import { Type } from "../../../terms/schema/type.ts";
import { UnreadableRows } from "../../../credentials/sealed-rows.ts";
import type { RotationParts } from "../../../credentials/rotate-keys.ts";
import type { WrappedKey } from "../../../credentials/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unknownId } from "../../require.ts";
import { listOf, text } from "../../result-schemas.ts";
import { idInput } from "../../shared-inputs.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Remove a data key that is not needed, or that can no longer be opened",
  description:
    "`keys verify` lists the data keys that cannot be opened. A key that seals no credential is simply removed. Credentials that are sealed with it are deleted with it, and have to be stored again: this requires --with-credentials, and is refused if the key can be opened here. First make sure that no machine has its root key.",
  example: "key_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --with-credentials",
  input: {
    key: idInput("a data key", "key_"),
    with_credentials: Type.Optional(
      Type.Boolean({ description: "Also delete the credentials that are sealed with it" }),
    ),
  },
  positional: ["key"],
  role: "owner",
  changes: true,
  needs: ["store", "keys"],

  result: Type.Object({ key: text, organization: text, credentials_deleted: listOf(text) }),

  async run({ key: id, with_credentials: withCredentials = false }, { act, store, keys }) {
    const parts = await keys({ unproven: true });
    const row = await parts.store.dataKey(id);
    if (row === null) throw unknownId("data key", id, "datarun keys verify");
    if (await isReadable(parts, row)) await refuseNeeded(parts, row);
    const open = await store();
    const gone = await open.discardDataKey(act, id, withCredentials).catch(withAdvice);
    if (gone === null) throw unknownId("data key", id, "datarun keys verify");
    return { key: id, organization: gone.organizationId, credentials_deleted: [...gone.credentialIds] };
  },
});

async function isReadable({ sealer }: RotationParts, row: WrappedKey): Promise<boolean> {
  return (await new UnreadableRows().unless(row, async () => sealer.unwrap(row))) !== null;
}

/** A key that can be opened is removed only if nothing is, or will be, sealed with it. */
async function refuseNeeded({ store }: RotationParts, row: WrappedKey): Promise<void> {
  const newest = await store.currentDataKey(row.organizationId);
  if (newest?.id === row.id) {
    throw new OperatorError(
      "refused",
      "This data key can be opened and is in use: the next credential of its organization will be sealed with it.",
    );
  }
  let after = "";
  for (;;) {
    const rows = await store.sealedCredentialsAfter(after, 500);
    if (rows.length === 0) return;
    if (rows.some(({ keyId }) => keyId === row.id)) {
      throw new OperatorError(
        "refused",
        'This data key can be opened, and credentials are sealed with it. "datarun keys rotate --new-data-keys" seals them with a new one.',
      );
    }
    after = rows.at(-1)!.id;
  }
}

function withAdvice(error: unknown): never {
  if (error instanceof OperatorError && error.code === "refused") {
    throw new OperatorError(
      "refused",
      `${error.message} Give its root key in DATARUN_ROOT_KEY; if that is lost for good, --with-credentials deletes them too.`,
      { cause: error },
    );
  }
  throw error;
}
