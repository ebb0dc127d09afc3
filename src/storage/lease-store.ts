import { sql, type Transaction } from "kysely";
import type { Grant, LeaseAnswer, LeaseAsk, LeaseRow, LeaseStore } from "../leases/ports.ts";
import { addRows } from "./add-rows.ts";
import type { Engine } from "./engine.ts";
import type { NewRow, Row, Tables } from "./schema.ts";

/** Rows that nobody asks about any more are deleted this often, in a transaction that runs anyway. */
const SWEEP_EVERY_MS = 60_000;

/**
 * What processes hold of the limits that they share. An exchange locks its limits, so that what is read is still so
 * when the result is written: no two processes are ever granted the same unit.
 */
export function createLeaseStore(engine: Engine): LeaseStore {
  let sweepAt = 0;

  async function exchangeIn(transaction: Transaction<Tables>, asks: readonly LeaseAsk[], rule: Rule) {
    const names = [...new Set(asks.map(({ limit }) => limit.name))].sort();
    await engine.lockNames(transaction, names);
    const now = await engine.wallAt(transaction);
    const stored = await rowsOf(transaction, names, now);
    const known = new Map(names.map((name) => [name, stored.filter((row) => row.name === name).map(toLeaseRow)]));
    const answers: LeaseAnswer[] = [];
    const changed: NewRow<"leases">[] = [];
    for (const ask of asks) {
      const rows = known.get(ask.limit.name)!;
      const grants = rule(ask, rows, now);
      answers.push({ now, grants });
      changed.push(...grants.map((grant) => toRow(ask, grant)));
      // A process may have two leases on one limit.
      const others = rows.filter((row) => !grants.some(({ lease, window }) => lease === row.lease && window === row.window)); // prettier-ignore
      known.set(ask.limit.name, [...others, ...grants]);
    }
    await addRows(engine.name, transaction, { table: "leases", key: KEY, rows: changed, change: IF_LATER });
    if (now >= sweepAt) {
      sweepAt = now + SWEEP_EVERY_MS;
      await transaction.deleteFrom("leases").where("forget_at", "<=", now).execute();
    }
    return answers;
  }

  return {
    async exchange(asks, rule) {
      await engine.ready();
      const db = asks.some(({ isDurable }) => isDurable) ? engine.writer : engine.noter;
      return db.transaction().execute((transaction) => exchangeIn(transaction, asks, rule));
    },

    async freeUnits(process, start) {
      await engine.ready();
      await engine.noter
        .deleteFrom("leases")
        .where("process", "=", process)
        .where("window_start", "<", 0)
        .where("lease", "<", start)
        .execute();
    },
  };
}

const KEY = ["name", "window_start", "lease"];

type Rule = Parameters<LeaseStore["exchange"]>[1];

function rowsOf(transaction: Transaction<Tables>, names: readonly string[], now: number): Promise<Row<"leases">[]> {
  return transaction.selectFrom("leases").selectAll().where("name", "in", names).where("forget_at", ">", now).execute();
}

/** An ask that was delayed on its way changes nothing after a later one. */
const IF_LATER = sql`update set amount = excluded.amount, wants = excluded.wants, grew_at = excluded.grew_at,
  turn = excluded.turn, ends_at = excluded.ends_at, forget_at = excluded.forget_at where excluded.turn > leases.turn`;

function toLeaseRow(row: Row<"leases">): LeaseRow {
  const { lease, window_start: window, amount, wants, grew_at: grewAt, ends_at: endsAt } = row;
  return { lease, window, amount, wants, grewAt, endsAt };
}

function toRow({ limit, process, turn }: LeaseAsk, grant: Grant): NewRow<"leases"> {
  const { lease, window, amount, wants, grewAt, endsAt } = grant;
  return {
    name: limit.name,
    window_start: window,
    lease,
    process,
    amount,
    wants,
    grew_at: grewAt,
    turn,
    ends_at: endsAt,
    forget_at: endsAt + (limit.everyMs ?? 0),
  };
}
