import type { Kysely, Transaction } from "kysely";
import type { PriceAdmin } from "../admin/ports.ts";
import { amountFromColumn, amountText, amountToColumn } from "../terms/money/money.ts";
import type { PriceTerm } from "../terms/money/price.ts";
import type { Engine } from "./engine.ts";
import { inBatches } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import type { NewRow, Row, Tables } from "./tables.ts";

/** The prices of credentials. A price is identified by its credential, its beginning, and its number of calls. */
export function createPriceAdmin(engine: Engine): PriceAdmin {
  return {
    setPrice: (act, credential, among) =>
      recordChange(engine, act, async (transaction) => {
        const known = await pricesIn(transaction, credential.id);
        const set = among(known);
        const row = fromPriceTerm(credential, set);
        const replaced = known.find((term) => idOf(credential.id, term) === row.id) ?? null;
        await transaction.deleteFrom("credential_prices").where("id", "=", row.id).execute();
        await transaction.insertInto("credential_prices").values(row).execute();
        return {
          result: { set, replaced },
          entry: {
            organizationId: credential.organizationId,
            subjectId: credential.id,
            detail: { ...inTrail(set), replaced: replaced === null ? null : inTrail(replaced) },
          },
        };
      }),

    prices: async (credentialId, { limit, after } = {}) => {
      let query = newestFirst(engine.reader, credentialId);
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
      const rows = await inBatches(credentialIds, (part) =>
        engine.reader.selectFrom("credential_prices").selectAll().where("credential_id", "in", part).execute(),
      );
      return rows.map((row) => ({ ...toPriceTerm(row), credentialId: row.credential_id }));
    },

    removePrices: (act, credential, isMeant) =>
      recordChange(engine, act, async (transaction) => {
        const terms = (await pricesIn(transaction, credential.id)).filter(isMeant);
        if (terms.length === 0) return null;
        const ids = terms.map((term) => idOf(credential.id, term));
        await transaction.deleteFrom("credential_prices").where("id", "in", ids).execute();
        const detail = { removed: terms.map(inTrail) };
        return {
          result: terms.length,
          entry: { organizationId: credential.organizationId, subjectId: credential.id, detail },
        };
      }),
  };
}

/** The current prices, locked until the transaction ends. */
async function pricesIn(transaction: Transaction<Tables>, credentialId: string): Promise<PriceTerm[]> {
  return (await newestFirst(transaction, credentialId).execute()).map(toPriceTerm);
}

function newestFirst(db: Kysely<Tables>, credentialId: string) {
  return db
    .selectFrom("credential_prices")
    .selectAll()
    .where("credential_id", "=", credentialId)
    .orderBy("from_wall_at", "desc")
    .orderBy("above");
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
