import type { Transaction } from "kysely";
import type { PriceAdmin } from "../admin/ports.ts";
import { amountFromColumn, amountText, amountToColumn } from "../terms/money.ts";
import type { PriceTerm } from "../terms/price.ts";
import type { Engine } from "./engine.ts";
import { inParts } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import type { NewRow, Row, Tables } from "./schema.ts";

/** The prices of credentials. A price is identified by its credential, its beginning, and its number of calls. */
export function createPriceAdmin(engine: Engine): PriceAdmin {
  return {
    setPrice: (act, credential, term) =>
      recordChange(engine, act, async (transaction) => {
        const row = fromPriceTerm(credential, term);
        const before = await priceOf(transaction, row.id);
        await transaction.deleteFrom("credential_prices").where("id", "=", row.id).execute();
        await transaction.insertInto("credential_prices").values(row).execute();
        return {
          result: { replaced: before === undefined ? null : toPriceTerm(before) },
          entry: {
            organizationId: credential.organizationId,
            subjectId: credential.id,
            detail: { ...inTrail(term), replaced: before === undefined ? null : inTrail(toPriceTerm(before)) },
          },
        };
      }),

    prices: async (credentialId, { limit, after } = {}) => {
      let query = engine.reader
        .selectFrom("credential_prices")
        .selectAll()
        .where("credential_id", "=", credentialId)
        .orderBy("from_wall_at", "desc")
        .orderBy("above");
      if (after !== undefined)
        query = query.where(({ eb, and, or }) =>
          or([
            eb("from_wall_at", "<", after.fromWallAt),
            and([eb("from_wall_at", "=", after.fromWallAt), eb("above", ">", after.above)]),
          ]),
        );
      if (limit !== undefined) query = query.limit(limit);
      return (await query.execute()).map(toPriceTerm);
    },

    pricesOf: async (credentialIds) => {
      const rows = await inParts(credentialIds, (part) =>
        engine.reader.selectFrom("credential_prices").selectAll().where("credential_id", "in", part).execute(),
      );
      return rows.map((row) => ({ ...toPriceTerm(row), credentialId: row.credential_id }));
    },

    removePrices: (act, credential, terms) =>
      recordChange(engine, act, async (transaction) => {
        const ids = terms.map((term) => idOf(credential.id, term));
        const removed = await transaction
          .deleteFrom("credential_prices")
          .where("id", "in", ids)
          .returning("id")
          .execute();
        if (removed.length === 0) return null;
        const detail = { removed: terms.map(inTrail) };
        return {
          result: removed.length,
          entry: { organizationId: credential.organizationId, subjectId: credential.id, detail },
        };
      }),
  };
}

function priceOf(transaction: Transaction<Tables>, id: string): Promise<Row<"credential_prices"> | undefined> {
  return transaction.selectFrom("credential_prices").selectAll().where("id", "=", id).executeTakeFirst();
}

function idOf(credentialId: string, { fromWallAt, above }: Pick<PriceTerm, "fromWallAt" | "above">): string {
  return `${credentialId}/${fromWallAt}/${above}`;
}

function inTrail({ amount, currency, fromWallAt, above, per, timeZone }: PriceTerm) {
  const from = new Date(fromWallAt).toISOString();
  return { amount: amountText(amount), currency, from, above, per, time_zone: timeZone };
}

function fromPriceTerm(
  credential: { readonly id: string; readonly organizationId: string; readonly source: string },
  term: PriceTerm,
): NewRow<"credential_prices"> {
  return {
    id: idOf(credential.id, term),
    credential_id: credential.id,
    organization_id: credential.organizationId,
    source: credential.source,
    from_wall_at: term.fromWallAt,
    above: term.above,
    amount: amountToColumn(term.amount),
    currency: term.currency,
    per: term.per,
    time_zone: term.timeZone,
  };
}

export function toPriceTerm(row: Row<"credential_prices">): PriceTerm {
  return {
    amount: amountFromColumn(row.amount),
    currency: row.currency,
    fromWallAt: row.from_wall_at,
    above: row.above,
    per: row.per,
    timeZone: row.time_zone,
  };
}
