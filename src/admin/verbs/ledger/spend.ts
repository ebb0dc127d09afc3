import { Type } from "../../../terms/schema/type.ts";
import { SPEND_KEYS } from "../../../ledger/read/sum-spend.ts";
import {
  credentialInput,
  givenOf,
  organizationInput,
  requireTimeZone,
  sourceInput,
  timeZoneInput,
  workflowInput,
} from "../../shared-inputs.ts";
import { momentInput, requireTime, toMoment } from "../../ledger-inputs.ts";
import { namesOf } from "../../names-of.ts";
import type { FoundObject } from "../../ports.ts";
import { nextCursor, pagedByCursor, readPageOf } from "../../pagination.ts";
import { AMOUNTS, TOTAL_COLUMNS, toWireSpent, totalsOf, wireSpent, wireTotal } from "../../spend-wire.ts";
import { count, listOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what was spent, by organization, workflow, vendor, source, credential or day",
  description: `It sums up the requests that runs have sent in the given time; a day is one of --time-zone, and a vendor is the part of a source's id before the two underscores. Live tests and simulated runs are left out. TOTALS counts the lines of all pages. ${AMOUNTS}`,
  example: "--by source --from 2026-03-01 --to 2026-04-01",
  input: {
    by: Type.Enum([...SPEND_KEYS], { description: "What each line stands for" }),
    from: momentInput("Requests that were sent then or later; a day begins at midnight of --time-zone"),
    to: momentInput("Requests that were sent before then"),
    time_zone: Type.Optional(timeZoneInput("The time zone of days, such as Europe/Berlin; UTC by default")),
    org: Type.Optional(organizationInput),
    workflow: Type.Optional(workflowInput),
    source: Type.Optional(sourceInput),
    credential: Type.Optional(credentialInput),
    ...pagedByCursor(),
  },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    spend: rowsOf({
      // The subject of the line, under the name given as `by`.
      ...Object.fromEntries(SPEND_KEYS.map((key) => [key, Type.Optional(orNull(text))])),
      name: Type.Optional({
        ...orNull(text),
        description:
          "The current name of the organization, workflow or credential; of an unnamed credential, its source",
      }),
      organization_tuid: Type.Optional({
        ...orNull(text),
        description: "The organization of the workflow or credential",
      }),
      requests: count,
      charged: count,
      not_charged: count,
      unknown: count,
      ...wireSpent,
    }),
    totals: listOf(wireTotal),
    ...nextCursor,
  }),

  async run({ by, from, to, time_zone, org, workflow, source, credential, ...page }, call) {
    const { ledger, store, note, onProgress } = call;
    const timeZone = requireTimeZone(time_zone ?? "UTC");
    const span = requireTime({ from: toMoment(from, timeZone), to: toMoment(to, timeZone) });
    const scope = givenOf({ organizationId: org, workflowId: workflow, source, credentialId: credential });
    const open = await ledger();
    const all = await open.spend(by, { ...span, timeZone, ...scope }, onProgress);
    const { lines, next } = await readPageOf(all, page, note, ({ key, currency }) => [key, currency]);
    const named = await namesOf(NAMED.has(by) ? lines.map(({ key }) => key) : [], store);
    return {
      spend: lines.map((line) => ({
        [by]: line.key,
        ...(NAMED.has(by) && toWireName(named.get(line.key ?? ""))),
        requests: line.requests,
        charged: line.charged_yes,
        not_charged: line.charged_no,
        unknown: line.charged_unknown,
        ...toWireSpent(line),
      })),
      totals: totalsOf(all),
      ...next,
    };
  },

  columns: { totals: TOTAL_COLUMNS },
  nothing: { spend: "No requests were sent.", totals: "" },
});

/** The keys whose objects have names. */
const NAMED: ReadonlySet<string> = new Set(["org", "workflow", "credential"]);

function toWireName(found: FoundObject | undefined) {
  return { name: found?.name || null, organization_tuid: found?.organizationId ?? null };
}
