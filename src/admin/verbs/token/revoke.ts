import { Type } from "../../../terms/schema/type.ts";
import { hasTokenShape, tokenDigest } from "../../../access/access-token.ts";
import { unknownId } from "../../require.ts";
import { text, time, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Revoke an access token, for good",
  description:
    "A running service refuses the token within a second, or within five minutes if its database is unavailable. If you found a token where it should not be, you can give the token itself (drt_…) instead of its id.",
  example: "tok_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    token_id: Type.String({
      pattern: "^(tok|drt)_",
      maxLength: 128,
      description: "Id of the token (tok_…)",
      "x-says": "must be the id of a token (tok_…)",
    }),
  },
  positional: ["token_id"],
  role: "operator",
  changes: true,
  revokes: true,
  needs: ["store"],

  result: Type.Object({ token_id: text, revoked_at: time }),

  async run({ token_id }, { act, store, note }) {
    const which = hasTokenShape(token_id) ? { digest: tokenDigest(token_id) } : { id: token_id };
    const token = await (await store()).revokeToken(act, which);
    if (token === null) throw unknownId("token", token_id, "datarun token list --org ORG");
    const revokedWallAt = token.revokedWallAt ?? act.wallAt;
    if (revokedWallAt < act.wallAt) note("It had already been revoked.");
    return { token_id: token.id, revoked_at: toWireTime(revokedWallAt) };
  },
});
