import { defineSource, Type } from "datarun";

const VENDOR = "https://api.bureau.example";

/** An invented vendor: one request orders a report, and others fetch it when it is ready. */
export default defineSource({
  id: "example_order__credit_report",
  title: "Example: a report that is ordered and waited for",
  description:
    "No real vendor: how a source orders a report, asks until it is ready, and says which request is billed. Written in TypeScript.",
  "x-example": true,
  inputs: Type.Object({
    company_number: Type.String({
      pattern: "^[0-9]{8}$",
      description: "Number of the company.",
      examples: ["00000001"],
    }),
  }),
  credentials: Type.Object({ api_key: Type.String({ minLength: 1, writeOnly: true }) }),
  output: Type.Object({
    score: Type.Integer({ description: "Score of the company, 0 to 100." }),
    as_of: Type.String({ format: "date", description: "The day that the report speaks of." }),
  }),
  origins: [VENDOR],
  timeout_ms: 60_000,
  charge: "per_success",

  async run({ inputs, credentials, http, ordered, wait, fail }) {
    const headers = { "x-api-key": credentials.api_key };
    const order = await http.post(`${VENDOR}/orders`, { headers, json: inputs, answers: [404], order: true });
    if (order.status === 404) {
      order.chargedAs("no");
      return null;
    }
    const { id } = order.json();
    // From here on, a deadline that passes is reported as `pending`, and the order's id is in the log.
    ordered(id);

    for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 3_000)) {
      await wait(waitMs);
      const poll = await http.get(`${VENDOR}/orders/${encodeURIComponent(id)}`, { headers, free: true });
      const { state, report } = poll.json();
      if (state === "failed") fail("vendor_5xx", { charged: "no", detail: "the vendor gave the order up" });
      if (state === "done") return { score: report.score, as_of: report.date };
    }
  },

  cases: [
    {
      name: "ready at once",
      inputs: { company_number: "00000001" },
      credentials: { api_key: "example-key" },
      request: [
        {
          method: "POST",
          path: "/orders",
          headers: { "x-api-key": "example-key" },
          body: { company_number: "00000001" },
        },
        { method: "GET", path: "/orders/o-1" },
      ],
      reply: [
        { status: 201, body: { id: "o-1" } },
        { body: { state: "done", report: { score: 72, date: "2026-03-01" } } },
      ],
      expect: { match: true, output: { score: 72, as_of: "2026-03-01" } },
    },
    {
      name: "ready at the second poll",
      inputs: { company_number: "00000002" },
      reply: [
        { status: 201, body: { id: "o-2" } },
        { body: { state: "pending" } },
        { body: { state: "done", report: { score: 15, date: "2026-03-01" } } },
      ],
      expect: { match: true, includes: { score: 15 } },
    },
    {
      name: "nobody has the number",
      inputs: { company_number: "99999999" },
      reply: { status: 404, body: {} },
      expect: { match: false },
    },
    {
      name: "the vendor gives the order up",
      inputs: { company_number: "00000003" },
      reply: [{ status: 201, body: { id: "o-3" } }, { body: { state: "failed" } }],
      expect: { failure: "vendor_5xx" },
    },
    {
      name: "a number that is none",
      inputs: { company_number: "1" },
      expect: { failure: "input", field: "company_number" },
    },
  ],
});
