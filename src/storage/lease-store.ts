import { sql, type Transaction } from "kysely";
import type { Grant, LeaseAnswer, LeaseAsk, LeaseRow, LeaseStore } from "../limits/sources/ports.ts";
import { addRows, inColumns } from "./add-rows.ts";
import type { Engine } from "./engine.ts";
import type { NewRow, Row, Tables } from "./tables.ts";

/**
 * Interval of deletions of expired rows, in a transaction that runs anyway. The number in one transaction is bounded,
 * because its limits are locked meanwhile; the next transaction deletes the rest.
 */
const SWEEP_EVERY_MS = 60_000;
const SWEEP_ROWS_MAX = 1_000;

/**
 * The leases of limits that processes share. An exchange locks its limits, so that rows cannot change between read and
 * write: no two processes are ever granted the same unit.
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
      const others = rows.filter(
        (row) => !grants.some(({ lease, window }) => lease === row.lease && window === row.window),
      );
      known.set(ask.limit.name, [...others, ...grants]);
    }
    await addRows(engine.name, transaction, { table: "leases", key: KEY, rows: inColumns(changed), change: IF_LATER });
    if (now >= sweepAt) {
      const swept = await sweep(engine, transaction, now);
      sweepAt = swept < SWEEP_ROWS_MAX ? now + SWEEP_EVERY_MS : now;
    }
    return answers;
  }

  return {
    async exchange(asks, rule) {
      await engine.ready();
      const answers = await engine.unsyncedWriter
        .transaction()
        .execute((transaction) => exchangeIn(transaction, asks, rule));
      if (asks.some(({ isDurable }) => isDurable)) await engine.sync();
      return answers;
    },

    async freeUnits(process, start) {
      await engine.ready();
      await engine.unsyncedWriter
        .deleteFrom("leases")
        .where("process", "=", process)
        .where("window_start", "<", 0)
        .where("lease", "<", start)
        .execute();
    },
  };
}

/** Skips rows that another process is deleting. @returns the number of deleted rows */
async function sweep({ name }: Engine, transaction: Transaction<Tables>, now: number): Promise<number> {
  // By physical position: neither engine finds rows by the three columns of their key without scanning the table.
  const old = (rowId: string) =>
    sql`select ${sql.ref(rowId)} from leases where forget_at <= ${now} limit ${SWEEP_ROWS_MAX}`;
  const condition =
    name === "postgres"
      ? sql`ctid = any(array(${old("ctid")} for update skip locked))`
      : sql`rowid in (${old("rowid")})`;
  const { numAffectedRows = 0n } = await sql`delete from leases where ${condition}`.execute(transaction);
  return Number(numAffectedRows);
}

const KEY = ["name", "window_start", "lease"];

type Rule = Parameters<LeaseStore["exchange"]>[1];

function rowsOf(transaction: Transaction<Tables>, names: readonly string[], now: number): Promise<Row<"leases">[]> {
  const rows = transaction.selectFrom("leases").selectAll().where("name", "in", names);
  // An expression has no index. PostgreSQL would prefer the index on window ends while it has few statistics, and read
  // almost all rows.
  return rows.where(sql`forget_at + 0`, ">", now).execute();
}

/** A delayed ask changes nothing after a later one. */
const IF_LATER = sql`update set amount = excluded.amount, wants = excluded.wants, grew_at = excluded.grew_at,
  turn = excluded.turn, ends_at = excluded.ends_at, forget_at = excluded.forget_at where excluded.turn > leases.turn`;

function toLeaseRow(row: Row<"leases">): LeaseRow {
  const { lease, window_start: window, amount, wants, grew_at: grewAt, ends_at: endsAt, turn: sequence } = row;
  return { lease, window, amount, wants, grewAt, endsAt, sequence };
}

function toRow({ limit, process, sequence }: LeaseAsk, grant: Grant): NewRow<"leases"> {
  const { lease, window, amount, wants, grewAt, endsAt } = grant;
  return {
    name: limit.name,
    window_start: window,
    lease,
    process,
    amount,
    wants,
    grew_at: grewAt,
    turn: sequence,
    ends_at: endsAt,
    forget_at: endsAt + (limit.everyMs ?? 0),
  };
}
