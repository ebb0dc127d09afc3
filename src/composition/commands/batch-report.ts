import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { jsonOption } from "./option-schemas.ts";

export default defineCommand({
  summary: "Compare the sources of batches that ran over the same file",
  description:
    "For each source: its match rate with a 95 % interval, the rows that only it finds, its times, and what it cost by row and by match. For all of them: how their matches overlap, how often they agree on a field, and what waterfalls cost, in which each source is asked only for the rows that those before it have not found. Up to 8 sources every order is computed. Costs are what the records say, and the ledger is exact; different currencies are never added, and a charge that is not known counts in full. It reads only the records, and calls nothing.",
  example: "out.jsonl --coverage 95 --agree name=acme__people.name,bell__phone.owner.name --html report.html",
  input: Type.Object(
    {
      out: Type.Array(Type.String(), {
        minItems: 1,
        description:
          "The output of a batch. Of several, the input file must be the same, and each source in one of them",
        "x-placeholder": "OUT…",
      }),
      agree: Type.Optional(
        Type.Array(Type.String(), {
          description:
            "Compare a field: FIELD=SOURCE.PATH,SOURCE.PATH. Case, accents, punctuation and spaces do not count. FIELD:company=… and FIELD:person=… compare names as names__company_comparison and names__person_comparison do, and count those that are equal or close",
          "x-placeholder": "FIELD=PATHS",
        }),
      ),
      coverage: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 100,
          description:
            "The percentage of rows that the cheapest order has to find; all that any source finds by default",
          "x-placeholder": "PERCENT",
        }),
      ),
      html: Type.Optional(
        Type.String({
          description: "Write the report as a page of one file with charts. It must not exist yet",
          "x-placeholder": "FILE",
        }),
      ),
      json: jsonOption,
    },
    { required: ["out"], additionalProperties: false },
  ),
  positional: ["out"],
  begin: async (input) => (await import("./batch-report/print-report.ts")).printReport(input),
});
