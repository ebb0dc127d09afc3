import type { LedgerFilter } from "./ledger-filter.ts";
import { createLedgerReader } from "./ledger-reader.ts";
import type { LedgerTables } from "../ports.ts";

const MAY_BE_GIVEN: readonly LedgerFilter[] = [
  { transactionId: "trx_1" },
  { from: 1, to: 9_999_999_999_999 },
  { organizationId: "org_1" },
  { workflowId: "wfl_1" },
  { functionId: "dfunc_odd" },
  { clientRequestId: "order-1", traceId: "4bf92f3577b34da6a3ce929d0e0e4736" },
  { source: "acme__people" },
  { outcome: "failed" },
  { charged: "yes" },
  { failure: "timeout", tookMsMin: 100 },
];

/** Every combination of filters. */
export function combinationsOfFilters(): LedgerFilter[] {
  const [first, ...others] = MAY_BE_GIVEN.map((one) => [{}, one]);
  return others.reduce(
    (combined, one) => combined.flatMap((some) => one.map((other) => Object.assign({}, some, other))),
    first!,
  );
}

/** The database's plans for a list: one text per statement. */
export async function plansOf(tables: LedgerTables, filter: LedgerFilter, explain: string): Promise<string[]> {
  const { plans, tables: heard } = explained(tables, explain);
  await createLedgerReader(heard).list(filter);
  return plans;
}

/** Wraps the tables: each statement also runs with `explain` before it, to record its plan. */
export function explained(
  tables: LedgerTables,
  explain: string,
): { readonly plans: string[]; readonly tables: LedgerTables } {
  const plans: string[] = [];
  const query: LedgerTables["query"] = async (sql, values) => {
    const lines = await tables.query<Record<string, unknown>>(`${explain} ${sql}`, values);
    plans.push(lines.map((line) => String(line["detail"] ?? line["QUERY PLAN"])).join("\n"));
    return tables.query(sql, values);
  };
  const isText: LedgerTables["isText"] = (column) => tables.isText(column);
  const textOf: LedgerTables["textOf"] = (key) => tables.textOf(key);
  return { plans, tables: { ...tables, query, isText, textOf } };
}
