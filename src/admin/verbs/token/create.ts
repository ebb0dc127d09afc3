import { Type } from "../../../terms/schema/type.ts";
import { makeAccessToken, tokenDigest } from "../../../access/access-token.ts";
import { newId } from "../../../terms/ids.ts";
import { nameInput, organizationInput } from "../../shared-inputs.ts";
import { unknownOrganization } from "../../require.ts";
import { text } from "../../result-schemas.ts";
import { expiryInput, expiryOf } from "../../token-expiry.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Issue an access token for an organization",
  description:
    "The token is shown only once, because only its SHA-256 is stored. An organization may have any number of tokens, so that a new one can be in use before the old one is revoked.",
  example: '--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --name "back end" --expires-in 90d',
  input: {
    org: organizationInput,
    name: Type.Optional(nameInput("What the token is for")),
    expires_in: Type.Optional(expiryInput("How long it is valid")),
  },
  role: "operator",
  changes: true,
  needs: ["store"],

  result: Type.Object({ token_id: text, access_token: text }),

  async run({ org, name = "", expires_in }, { act, store, note }) {
    const accessToken = makeAccessToken();
    const open = await store();
    const token = await open.createToken(act, {
      id: newId("token", act.wallAt),
      organizationId: org,
      name,
      digest: tokenDigest(accessToken),
      createdWallAt: act.wallAt,
      expiresWallAt: expiryOf(expires_in, act.wallAt),
    });
    if (token === null) throw unknownOrganization(org);
    note("The access token is shown only once. Keep it where you keep secrets.");
    return { token_id: token.id, access_token: accessToken };
  },
});
