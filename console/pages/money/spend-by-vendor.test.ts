import assert from "node:assert/strict";
import { test } from "node:test";
import { forecastOf, spendByVendor } from "./spend-by-vendor.ts";

const DAY = 86_400_000;
const starts = [0, 1, 2, 3].map((day) => day * DAY);
const point = (day: number, currency: string, amount: string, most = amount) =>
  ({ at: new Date(day * DAY).toISOString(), costs: [{ currency, amount, amount_at_most: most }] }) as never;

test("spend is stacked by vendor, the largest first, each currency by itself, and small vendors are added up", () => {
  const vendors = Array.from({ length: 9 }, (_, at) => ({ key: `v${at}`, points: [point(1, "EUR", `${at + 1}.10`)] }));
  const found = spendByVendor([...vendors, { key: "v0", points: [point(2, "USD", "1.00", "2.50")] }], starts);
  const euros = found.get("EUR")!;
  assert.deepEqual(
    euros.map(({ vendor }) => vendor),
    ["v8", "v7", "v6", "v5", "v4", "v3", "others"],
  );
  assert.deepEqual(euros.at(-1)!.amounts, [null, { least: "6.30", most: "6.30" }, null, null]);
  assert.deepEqual(found.get("USD")![0]!.amounts[2], { least: "1.00", most: "2.50" });
});

test("the rest of a month is estimated by the days before today, and only if there are some", () => {
  const spent = [
    { vendor: "v", amounts: ["2.00", "4.00", null, null].map((most) => most && { least: most, most }) },
  ] as never;
  const axis = { starts, to: 4 * DAY };
  assert.deepEqual(forecastOf(axis, spent, 2 * DAY + 1), { values: [null, null, null, 3], sum: 12 });
  for (const now of [1, 3 * DAY + 1, 9 * DAY]) assert.equal(forecastOf(axis, spent, now), null);
});
