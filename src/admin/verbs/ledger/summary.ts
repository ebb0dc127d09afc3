import { Type } from "../../../terms/schema/type.ts";
import { type ChargeSummary, monthRange, type SummaryOptions } from "../../../ledger/read/summarize.ts";
import { LIVE_TEST_MAX_MS, LIVE_VERBS, withLiveTests } from "../../authoring/live-charges.ts";
import { vendorOf } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { organizationInput, requireTimeZone, sourceInput, timeZoneInput, vendorInput } from "../../shared-inputs.ts";
import { credentialNamesOf, namesOf } from "../../names-of.ts";
import { nextCursor, pagedByCursor, readPageOf } from "../../pagination.ts";
import { AMOUNTS, TOTAL_COLUMNS, toWireSpent, totalsOf, wireSpent, wireTotal } from "../../spend-wire.ts";
import type { VerbBasics, VerbNeeds } from "../../needs.ts";
import type { AuditEntry } from "../../ports.ts";
import { count, listOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Sum up a month by source and credential, to compare with the vendors' invoices",
  description: `There is one line for each source, organization, credential and currency. It counts the requests that were sent in that month of --time-zone by runs and by live tests (\`source test --live\`, \`prove\`, \`credential verify\`); the column LIVE TESTS shows how many came from live tests. Simulated runs send no requests and are left out. TOTALS and VENDORS count the lines of all pages; a vendor is the part of a source's id before the two underscores. ${AMOUNTS}`,
  example: "2026-03",
  input: {
    month: Type.String({
      pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])$`,
      description: "Year and month, such as 2026-03",
      "x-says": "must be a year and a month, such as 2026-03",
    }),
    time_zone: Type.Optional(timeZoneInput("The time zone of the month, such as Europe/Berlin; UTC by default")),
    org: Type.Optional(organizationInput),
    vendor: Type.Optional(vendorInput),
    source: Type.Optional(sourceInput),
    ...pagedByCursor(),
  },
  positional: ["month"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger"],

  result: Type.Object({
    charges: rowsOf({
      source: text,
      organization_tuid: orNull(text),
      organization: { ...orNull(text), description: "Its current name" },
      cred_id: orNull(text),
      cred_name: orNull(text),
      credential: text,
      requests: count,
      charged: count,
      not_charged: count,
      unknown: count,
      live_tests: count,
      ...wireSpent,
    }),
    totals: listOf(wireTotal),
    vendors: {
      ...rowsOf({ vendor: text, ...wireTotal.properties }),
      description: "The totals of each vendor, largest first",
    },
    ...nextCursor,
  }),

  async run({ month, time_zone, org, vendor, source, ...page }, { ledger, store, note, onProgress }) {
    const timeZone = requireTimeZone(time_zone ?? "UTC");
    const { from, to } = monthRange(month, timeZone);
    const [runs, noLedger] = await requestsOfRuns(ledger, month, { timeZone, onProgress });
    const acts = async () => (await store()).actsBetween(LIVE_VERBS, from, to + LIVE_TEST_MAX_MS);
    const tests = await (noLedger === null ? noteIfMissing(acts(), note) : acts());
    if (noLedger !== null && tests.length === 0) throw noLedger;
    if (noLedger !== null) note(`${noLedger.message} Only live tests are counted.`);
    const ofAll = withLiveTests(runs, tests, to);
    const all = ofAll.filter(
      (line) =>
        (org === undefined || line.organization_id === org) &&
        (vendor === undefined || vendorOf(line.source) === vendor) &&
        (source === undefined || line.source === source),
    );
    const { lines, next } = await readPageOf(all, page, note, keyOf);
    const named = await namesOf(
      lines.map((line) => line.organization_id),
      store,
    );
    const credentials = await credentialNamesOf(
      lines.map((line) => line.credential_id),
      store,
    );
    return {
      charges: lines.map((line) => ({
        source: line.source,
        organization_tuid: line.organization_id,
        organization: named.get(line.organization_id ?? "")?.name || null,
        cred_id: line.credential_id,
        cred_name: credentials.get(line.credential_id) ?? null,
        credential: line.credential,
        requests: line.requests,
        charged: line.charged_yes,
        not_charged: line.charged_no,
        unknown: line.charged_unknown,
        live_tests: line.live_tests,
        ...toWireSpent(line),
      })),
      totals: totalsOf(all),
      vendors: vendorTotalsOf(all),
      ...next,
    };
  },

  columns: {
    charges: [
      "source",
      "organization",
      "organization_tuid",
      "cred_id",
      "cred_name",
      "credential",
      "requests",
      "charged",
      "not_charged",
      "unknown",
      "live_tests",
      "unpriced",
      "currency",
      "amount",
      "amount_at_most",
    ],
    totals: TOTAL_COLUMNS,
    vendors: ["vendor", ...TOTAL_COLUMNS],
  },
  nothing: { vendors: "" },
});

function vendorTotalsOf(lines: ReturnType<typeof withLiveTests>) {
  const byVendor = Map.groupBy(lines, ({ source }) => vendorOf(source));
  return [...byVendor]
    .flatMap(([vendor, own]) => totalsOf(own).map((total) => ({ vendor, ...total })))
    .toSorted((one, other) => Number(other.amount_at_most ?? -1) - Number(one.amount_at_most ?? -1));
}

function keyOf(line: ReturnType<typeof withLiveTests>[number]) {
  return [line.source, line.organization_id, line.credential_id, line.credential, line.currency];
}

/**
 * The requests of runs. A store may have live tests before the first service has created a ledger; the error says that
 * there is none.
 */
async function requestsOfRuns(
  ledger: VerbNeeds["ledger"],
  month: string,
  options: SummaryOptions,
): Promise<[runs: readonly ChargeSummary[], noLedger: OperatorError | null]> {
  try {
    return [await (await ledger()).summary(month, options), null];
  } catch (error) {
    if (error instanceof OperatorError && error.code === "not_found") return [[], error];
    throw error;
  }
}

/** Adds a remark about what is missing. A ledger, for instance a copy, can be read without a store. */
async function noteIfMissing(
  acts: Promise<readonly AuditEntry[]>,
  note: VerbBasics["note"],
): Promise<readonly AuditEntry[]> {
  try {
    return await acts;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    note(`Live tests are not counted, because the audit trail cannot be read: ${error.message}`);
    return [];
  }
}
