import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { terminal } from "./terminal.ts";

async function prepared(t: TestContext) {
  const shell = terminal(t);
  const { organization_tuid: org } = await shell.json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { cred_id: id } = await shell.json<{ cred_id: string }>(
    `credential create --org ${org} --source acme__people --set api_key=abcd1234`.split(" "),
  );
  const price = (words: string) => shell.run(`credential price ${words}`.replace("CRED", id).split(" "));
  const list = async () => (await shell.json<{ prices: object[] }>(["credential", "price", "list", id])).prices;
  return { ...shell, id, price, list };
}

const BASIC = { above: 0, currency: "EUR", per: "as declared", time_zone: "UTC" };

test("prices have a history and steps, and days begin in the time zone of the contract", async (t) => {
  const { price, list } = await prepared(t);
  assert.deepEqual(await list(), []);
  for (const words of [
    "set CRED --amount 0.35 --currency EUR --from 2026-01-01",
    "set CRED --amount 0.28 --currency EUR --from 2026-01-01 --above 10000",
    "set CRED --amount 12 --currency EUR --from 2026-07-01 --per match --time-zone Europe/Berlin",
    "set CRED --amount 10 --currency EUR --from 2026-07-01 --per match --above 500",
  ]) {
    const { code, stderr } = await price(words);
    assert.equal(code, 0, stderr);
  }
  const past = await price("set CRED --amount 1 --currency EUR --from 2025-01-01");
  assert.match(past.stderr, /sent before now keep the price that they recorded, and those without one stay unpriced/);
  assert.equal((await price("remove CRED --from 2025-01-01")).code, 0);
  const later = {
    ...BASIC,
    from: "2026-06-30T22:00:00.000Z",
    per: "match",
    time_zone: "Europe/Berlin",
    state: "holds",
  };
  const first = { ...BASIC, from: "2026-01-01T00:00:00.000Z", state: "over" };
  assert.deepEqual(await list(), [
    { ...later, amount: "12.00" },
    { ...later, above: 500, amount: "10.00" },
    { ...first, amount: "0.35" },
    { ...first, above: 10_000, amount: "0.28" },
  ]);

  const replaced = await price("set CRED --amount 0.36 --currency EUR --from 2026-01-01");
  assert.match(replaced.stderr, /replaces 0\.35 EUR/);
  assert.equal((await price("remove CRED --from 2026-01-01 --above 10000")).code, 0);
  assert.equal((await price("remove CRED --from 2026-07-01")).code, 0);
  assert.deepEqual(await list(), [{ ...first, amount: "0.36", state: "holds" }]);
  await price("set CRED --amount 9 --currency EUR --from 2100-01-01");
  assert.equal(((await list()) as { state: string }[])[0]!.state, "to come");
});

test("a price can begin in any year of a contract, and is listed and removed by that year", async (t) => {
  const { price, list } = await prepared(t);
  assert.equal((await price("set CRED --amount 0.35 --currency EUR --from 0001-01-01")).code, 0);
  assert.deepEqual(await list(), [{ ...BASIC, from: "0001-01-01T00:00:00.000Z", amount: "0.35", state: "holds" }]);
  assert.equal((await price("remove CRED --from 0001-01-01")).code, 0);
  assert.deepEqual(await list(), []);
  const none = await price("set CRED --amount 0.35 --currency EUR --from 0000-01-01");
  assert.deepEqual([none.code, none.stderr], [1, "There is no day 0000-01-01.\n"]);
});

test("what is no price is refused, and the message says why", async (t) => {
  const { price, list } = await prepared(t);
  for (const [words, says] of [
    ["set CRED --amount 0,35 --currency EUR --from 2026-01-01", /--amount must be an amount such as 0\.35/],
    ["set CRED --amount 0.1234567 --currency EUR --from 2026-01-01", /six decimals/],
    ["set CRED --amount 9999999999 --currency EUR --from 2026-01-01", /too large/],
    [
      "set CRED --amount 999999999999 --currency EUR --from 2026-01-01",
      /^The amount is too large: it can be at most 1000000000\.\n$/,
    ],
    ["set CRED --amount 1000000000.000001 --currency EUR --from 2026-01-01", /too large/],
    ["set CRED --amount 1 --currency EURO --from 2026-01-01", /ISO 4217/],
    ["set CRED --amount 1 --currency EUR --from 2026-02-30", /no day 2026-02-30/],
    ["set CRED --amount 1 --currency EUR --from 2026-01-01 --time-zone Berlin", /no time zone Berlin/],
    ["set CRED --amount 1 --currency EUR --from 2026-01-01 --above 10", /no price from 2026-01-01/],
    ["set cred_x --amount 1 --currency EUR --from 2026-01-01", /cred_x/],
    ["remove CRED --from 2026-01-01", /no such price/],
    ["prise CRED", /Unknown command "credential price prise"/],
  ] as const) {
    const { code, stderr } = await price(words);
    assert.notEqual(code, 0, words);
    assert.match(stderr, says, words);
  }
  assert.deepEqual(await list(), []);
  await price("set CRED --amount 1 --currency EUR --from 2026-01-01");
  const step = await price("set CRED --amount 1 --currency USD --from 2026-01-01 --above 10");
  assert.match(step.stderr, /same currency/);
});

test("the prices of one day stay alike, whichever of them is set again", async (t) => {
  const { price, list } = await prepared(t);
  await price("set CRED --amount 4 --currency EUR --from 2026-03-02");
  await price("set CRED --amount 3 --currency EUR --from 2026-03-02 --above 100");
  const before = await list();
  for (const [words, says] of [
    ["set CRED --amount 5 --currency USD --from 2026-03-02", /step[^]*currency[^]*remove/],
    ["set CRED --amount 5 --currency EUR --from 2026-03-02 --per match", /step[^]*--per[^]*remove/],
    ["set CRED --amount 5 --currency EUR --from 2026-03-02 --time-zone Europe/Berlin", /time zone UTC[^]*remove/],
    ["remove CRED --from 2026-02-30", /no day 2026-02-30/],
  ] as const) {
    const { code, stderr } = await price(words);
    assert.notEqual(code, 0, words);
    assert.match(stderr, says, words);
  }
  assert.deepEqual(await list(), before);
  await price("remove CRED --from 2026-03-02");
  assert.equal((await price("set CRED --amount 5 --currency USD --from 2026-03-02")).code, 0);
  assert.equal((await price("set CRED --amount 6 --currency GBP --from 2026-03-02")).code, 0, "without steps");
});

test("a noun within a noun shows its commands", async (t) => {
  const { run } = terminal(t);
  const { stdout } = await run(["credential", "price", "--help"]);
  assert.match(stdout, /credential price list[\s\S]*credential price remove[\s\S]*credential price set/);
});

test("a price that would never be charged, because its source is free, is refused unless it says what is billed", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const create = `credential create --org ${org} --source acme__loose --set api_key=abcd1234`;
  const { cred_id: id } = await json<{ cred_id: string }>(create.split(" "));
  const set = (words: string) => run(`credential price set ${id} --amount 1 --currency EUR ${words}`.split(" "));
  const refused = await set("--from 2026-01-01");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /acme__loose declares that its vendor bills nothing.*--per call/);
  assert.deepEqual((await json<{ prices: object[] }>(["credential", "price", "list", id])).prices, []);
  for (const words of ["--from 2026-01-01 --per call", "--from 2026-01-01 --per call --above 10"])
    assert.equal((await set(words)).code, 0);
});
