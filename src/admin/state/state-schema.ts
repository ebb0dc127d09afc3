import type { Static } from "typebox";
import { CONTEXTS } from "../../terms/caller.ts";
import { BUDGET_PERIODS } from "../../terms/money/budget.ts";
import { Type } from "../../terms/schema/type.ts";
import { operatorName } from "../operator-wire.ts";
import { aboveInput, currencyInput, dayInput } from "../price-wire.ts";
import { ROLES } from "../roles.ts";
import {
  credentialInput,
  nameInput,
  noteInput,
  organizationInput,
  regionInput,
  sourceInput,
  workflowInput,
} from "../shared-inputs.ts";
import { budgetInput } from "../budget-wire.ts";
import { expiryInput } from "../token-expiry.ts";

/** The form of a state file. Everything that is left out has the value of a new object, or is not managed. */

const key = Type.String({
  pattern: "^[a-z0-9][a-z0-9._-]{0,63}$",
  description: "The name of the object in this file, unique among its siblings",
});
const yesOrNo = (description: string) => Type.Optional(Type.Boolean({ description }));
const id = (schema: object) =>
  Type.Optional(
    Type.Unsafe<string>({ ...schema, type: "string", description: "An existing object that gets this key" }),
  );
const number = (description: string) =>
  Type.Unsafe<string | number>({ type: ["string", "number"], description, maxLength: 40 });
const versions = (description: string) =>
  Type.Optional(Type.Record(Type.String(), number("A version, such as 12 or 12@10%"), { description }));
const closed = { additionalProperties: false } as const;

const workflow = Type.Object(
  {
    key,
    id: id(workflowInput),
    name: Type.Optional(nameInput("What the workflow is for")),
    disabled: yesOrNo("Whether its requests are refused"),
    auto_credentials: yesOrNo("If no credential is named, use the newest active stored one"),
    failure_details: yesOrNo("Failed status entries say more; true by default"),
    mask_credentials: yesOrNo("Credentials of a request are masked in the answer"),
    simulated: yesOrNo("No call leaves the machine"),
    functions: versions("Versions of functions in place of the loaded ones"),
    sources: versions("Versions of sources in place of the loaded ones"),
    shadow: versions("Versions of functions that are compared after the answer"),
  },
  closed,
);

const token = Type.Object(
  {
    key,
    id: id({ pattern: "^tok_", maxLength: 128 }),
    name: Type.Optional(nameInput("What the token is for")),
    expires_in: Type.Optional(expiryInput("How long a new token is valid")),
  },
  closed,
);

const price = Type.Object(
  {
    from: dayInput,
    amount: number("The amount, such as 0.35"),
    currency: currencyInput,
    per: Type.Optional(Type.Enum(["call", "match", "success"], { description: "What the contract bills" })),
    above: Type.Optional(aboveInput),
    time_zone: Type.Optional(Type.String({ maxLength: 64, description: "UTC by default" })),
  },
  closed,
);

const credential = Type.Object(
  {
    key,
    id: id(credentialInput),
    name: Type.Optional(nameInput("What to call it")),
    source: sourceInput,
    fields: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({
          pattern: String.raw`^(stored|\$\{(env|file):[^}]+\})$`,
          "x-says": "must be ${env:NAME}, ${file:PATH} or stored: a state file has no secret",
        }),
        { description: "Values that are stored in the service" },
      ),
    ),
    references: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 600 }), {
        description: "Values that stay in a vault or a file, such as vault://kv/acme#key",
      }),
    ),
    contexts: Type.Optional(Type.Array(Type.Enum([...CONTEXTS]), { maxItems: 3, uniqueItems: true })),
    regions: Type.Optional(Type.Array(regionInput, { maxItems: 20, uniqueItems: true })),
    default: yesOrNo("The organization's default for the source in its contexts"),
    disabled: yesOrNo("Whether it is not used"),
    note: Type.Optional(noteInput("A remark, never a secret", 200)),
    revision: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Another number replaces the stored values" }),
    ),
    prices: Type.Optional(
      Type.Array(price, { maxItems: 1_000, description: "All its prices; not managed if left out" }),
    ),
  },
  closed,
);

const budget = Type.Object(
  {
    key,
    id: id(budgetInput),
    workflow: Type.Optional(Type.String({ description: "The key of a workflow" })),
    source: Type.Optional(sourceInput),
    credential: Type.Optional(Type.String({ description: "The key of a credential" })),
    per: Type.Enum([...BUDGET_PERIODS]),
    time_zone: Type.Optional(Type.String({ maxLength: 64, description: "UTC by default" })),
    amount: Type.Optional(number("How much may be charged")),
    currency: Type.Optional(currencyInput),
    calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    warn: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "80 by default" })),
  },
  closed,
);

const organization = Type.Object(
  {
    key,
    id: id(organizationInput),
    name: nameInput("The name of the organization for people"),
    disabled: yesOrNo("Whether all its requests are refused"),
    workflows: Type.Optional(Type.Array(workflow, { maxItems: 10_000 })),
    tokens: Type.Optional(Type.Array(token, { maxItems: 10_000 })),
    credentials: Type.Optional(Type.Array(credential, { maxItems: 10_000 })),
    budgets: Type.Optional(Type.Array(budget, { maxItems: 10_000 })),
  },
  closed,
);

const operator = Type.Object(
  {
    key,
    id: id({ pattern: "^opr_", maxLength: 128 }),
    name: operatorName,
    role: Type.Enum([...ROLES]),
    expires_in: Type.Optional(expiryInput("How long a new token is valid")),
  },
  closed,
);

export const stateSchema = Type.Object(
  {
    version: Type.Literal(1, { description: "The version of this form" }),
    organizations: Type.Optional(Type.Array(organization, { maxItems: 10_000 })),
    operators: Type.Optional(Type.Array(operator, { maxItems: 10_000 })),
  },
  closed,
);

export type StateFile = Static<typeof stateSchema>;

/** The schema for editors, as `state.schema.json` has it. What entries say about each other is no part of it. */
export function publishedStateSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A state file of datarun",
    ...(JSON.parse(JSON.stringify(stateSchema)) as Record<string, unknown>),
  };
}
