import { Type } from "../../../terms/schema/type.ts";
import { tokenState } from "../../operator-wire.ts";
import { organizationInput } from "../../shared-inputs.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { PREFIX } from "../../../terms/ids.ts";
import type { IssuedToken, TokenState } from "../../ports.ts";
import { requireOrganization } from "../../require.ts";
import { oneOf, orNull, rowsOf, text, time, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

const STATES = ["active", "revoked", "expired"] as const satisfies readonly TokenState[];

export default defineVerb({
  summary: "List the access tokens of an organization, newest first",
  description:
    "The tokens themselves are never shown. The time of last use is written in batches, a few seconds late. `source run` and `function run` each leave a revoked token, to which the ledger refers; --state active leaves those out.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    org: organizationInput,
    state: Type.Optional(Type.Enum(STATES, { description: "Only those in this state" })),
    ...pagedById(PREFIX.token),
  },
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    tokens: rowsOf({
      token_id: text,
      name: text,
      state: oneOf(...STATES),
      created_at: time,
      expires_at: orNull(time),
      revoked_at: orNull(time),
      last_used_at: orNull(time),
    }),
    ...nextCursor,
  }),

  async run({ org, state, ...page }, { act, store, note }) {
    const open = await store();
    await requireOrganization(open, org);
    const chosen = { ...(state !== undefined && { state }), wallAt: act.wallAt };
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.tokens(org, { ...chosen, ...asked }));
    return { tokens: lines.map((token) => toWire(token, act.wallAt)), ...next };
  },
});

function toWire(token: IssuedToken, wallAt: number) {
  return {
    token_id: token.id,
    name: token.name,
    state: tokenState(token, wallAt),
    created_at: toWireTime(token.createdWallAt),
    expires_at: toWireTime(token.expiresWallAt),
    revoked_at: toWireTime(token.revokedWallAt),
    last_used_at: toWireTime(token.lastUsedWallAt),
  };
}
