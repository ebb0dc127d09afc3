import { Type } from "../../../../terms/schema/type.ts";
import { credentialInput, givenOf } from "../../../shared-inputs.ts";
import { beginningAt, toWirePrice, wirePrice } from "../../../price-wire.ts";
import { requireCredential } from "../../../require.ts";
import { nextCursor, pagedByCursor, readPage } from "../../../pagination.ts";
import { oneOf, rowsOf } from "../../../result-schemas.ts";
import type { PriceTerm } from "../../../../terms/money/price.ts";
import { defineVerb } from "../../../verb.ts";

/** The cursor: the start of a price, and its number of calls. */
const CURSOR = /^-?\d{1,16}\.\d{1,16}$/;

/** The states of a price and its steps. */
const STATES = ["to come", "holds", "over"] as const;

export default defineVerb({
  summary: "List the prices of a credential, the newest first, each followed by its steps",
  description:
    "As long as no price has begun, the list price of the source applies. Replaced and removed prices are in the audit trail.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { cred_id: credentialInput, ...pagedByCursor(CURSOR.source) },
  positional: ["cred_id"],
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({ prices: rowsOf({ ...wirePrice, state: oneOf(...STATES) }), ...nextCursor }),

  async run({ cred_id, limit, after }, { clock, store, note }) {
    const open = await store();
    await requireCredential(open, cred_id);
    const page = givenOf({ limit, after });
    const cursorOf = ({ fromWallAt, above }: PriceTerm) => `${fromWallAt}.${above}`;
    const { lines, next } = await readPage(page, note, cursorOf, (asked) =>
      open.prices(cred_id, {
        limit: asked.limit!,
        ...(asked.after !== undefined && { after: readCursor(asked.after) }),
      }),
    );
    const currentFrom = beginningAt(await open.pricesOf([cred_id]), clock.wall());
    return { prices: lines.map((term) => ({ ...toWirePrice(term), state: stateOf(term, currentFrom) })), ...next };
  },
});

function stateOf({ fromWallAt }: PriceTerm, newestFrom: number | null): (typeof STATES)[number] {
  if (newestFrom === fromWallAt) return "holds";
  return newestFrom === null || fromWallAt > newestFrom ? "to come" : "over";
}

function readCursor(after: string) {
  const [fromWallAt = 0, above = 0] = after.split(".").map(Number);
  return { fromWallAt, above };
}
