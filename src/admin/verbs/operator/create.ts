import { Type } from "../../../terms/schema/type.ts";
import { makeOperatorToken, tokenDigest } from "../../../access/access-token.ts";
import { newId } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { operatorName } from "../../operator-wire.ts";
import { ROLES } from "../../roles.ts";
import { text } from "../../result-schemas.ts";
import { expiryInput, expiryOf } from "../../token-expiry.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Let a person or a program use the admin API, with a token of their own",
  description:
    "The token is shown only once, because only its SHA-256 is stored. A viewer reads everything but secrets. An operator also runs things, creates and disables organizations, tokens, workflows and credentials, and settles charges. An owner also creates and revokes operators, sets budgets and prices, rotates keys and deletes old runs. What they change is recorded in the audit trail under their name.",
  example: "ada@acme.example --role operator --expires-in 90d",
  input: {
    name: operatorName,
    role: Type.Enum([...ROLES], { description: "The operator's role" }),
    expires_in: Type.Optional(expiryInput("How long the token is valid")),
  },
  positional: ["name"],
  changes: true,
  role: "owner",
  makesStore: true,
  needs: ["store"],

  result: Type.Object({ operator_id: text, operator_token: text }),

  async run({ name, role, expires_in }, { act, store, note }) {
    const token = makeOperatorToken();
    const open = await store();
    const operator = await open.createOperator(act, {
      id: newId("operator", act.wallAt),
      name,
      role,
      digest: tokenDigest(token),
      createdWallAt: act.wallAt,
      expiresWallAt: expiryOf(expires_in, act.wallAt),
    });
    if (operator === null)
      throw new OperatorError(
        "refused",
        `There is an operator ${name} already. Revoke that one first: datarun operator revoke ${name}`,
      );
    note("The token is shown only once. Keep it where you keep secrets.");
    return { operator_id: operator.id, operator_token: token };
  },
});
