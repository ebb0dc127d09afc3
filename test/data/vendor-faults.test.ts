import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";
import { asksVendor, source } from "../rig/sources.ts";
import { body } from "../vendor/behaviours.ts";
import { refusingOrigin, startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const nobody = { origin: await refusingOrigin() };

/** What becomes of a call: the message, and what a client may branch on. */
interface Ending {
  readonly says: RegExp;
  readonly kind: string;
  readonly retryable: boolean;
  readonly charged: "yes" | "no" | "unknown";
}

const TIMEOUT: Ending = { says: /timed out after \d+ ms$/, kind: "timeout", retryable: true, charged: "unknown" };
const LOST: Ending = {
  says: /the connection to the vendor was lost$/,
  kind: "connection_lost",
  retryable: false,
  charged: "unknown",
};
const CONTRACT: Ending = {
  says: /the vendor's answer cannot be used: /,
  kind: "contract",
  retryable: false,
  charged: "yes",
};
/** It has not been seen that the vendor completed anything. */
const NO_HTTP: Ending = { ...CONTRACT, charged: "unknown" };
const VENDOR_5XX: Ending = {
  says: /the vendor answered with status 5\d\d$/,
  kind: "vendor_5xx",
  retryable: true,
  charged: "unknown",
};
const VENDOR_4XX: Ending = {
  says: /the vendor answered with status \d+$/,
  kind: "vendor_4xx",
  retryable: false,
  charged: "unknown",
};
const REJECTED: Ending = {
  says: /the vendor rejected the credential$/,
  kind: "credential",
  retryable: false,
  charged: "no",
};
const LIMITED: Ending = {
  says: /the vendor is limiting the rate of calls$/,
  kind: "rate_limited",
  retryable: false,
  charged: "no",
};

/** By the path of the scripted vendor. */
const FAULTS: Readonly<Record<string, Ending>> = {
  "/close-before-headers": LOST,
  "/reset-mid-headers": LOST,
  "/close-mid-body": LOST,
  "/reset-mid-body": LOST,
  "/short-length": LOST,
  "/missing-last-chunk": LOST,
  "/hang": TIMEOUT,
  "/drip/10": TIMEOUT,
  "/endless": CONTRACT,
  "/huge-length": CONTRACT,
  "/gzip-bomb/16": CONTRACT,
  "/not-gzip": CONTRACT,
  "/deflate": CONTRACT,
  "/html": CONTRACT,
  "/empty": CONTRACT,
  "/no-content": CONTRACT,
  "/truncated-json": CONTRACT,
  "/invalid-utf8": CONTRACT,
  "/deep": CONTRACT,
  "/infinite-number": CONTRACT,
  "/list": CONTRACT,
  "/two-lengths": NO_HTTP,
  "/huge-headers": NO_HTTP,
  "/banner": NO_HTTP,
  "/redirect/302": { ...CONTRACT, charged: "no" },
  "/status/500": VENDOR_5XX,
  "/status/503": VENDOR_5XX,
  "/status/404": VENDOR_4XX,
  "/status/422": VENDOR_4XX,
  "/status/401": REJECTED,
  "/status/403": REJECTED,
  "/status/429": LIMITED,
};

const idOf = (path: string) => `faulty__${path.slice(1).replaceAll(/\W/g, "_")}`;
const service = await startService(
  { after },
  {
    sources: [
      ...Object.entries(FAULTS).map(([path, ending]) =>
        asksVendor(idOf(path), vendor, path, { timeout_ms: ending === TIMEOUT ? 3_000 : 30_000 }),
      ),
      asksVendor("faulty__refused", nobody, "/"),
      asksVendor("good__json", vendor, "/json"),
      asksVendor("good__gzip", vendor, "/gzip"),
      asksVendor("good__proto", vendor, "/proto"),
      asksVendor("good__byte_order_mark", vendor, "/byte-order-mark"),
      source(
        "good__not_found",
        async ({ http }) =>
          (await http.get(`${vendor.origin}/status/404`, { answers: [404] })).status === 404 ? null : {},
        { origins: [vendor.origin] },
      ),
      source("bad__undeclared", ({ http }) => http.get(`${nobody.origin}/x`), { origins: [vendor.origin] }),
      source(
        "bad__says_so",
        async ({ http, fail }) => {
          await http.get(`${vendor.origin}/json`);
          return fail("rate_limited", { charged: "no", detail: "quota" });
        },
        { origins: [vendor.origin] },
      ),
    ],
    vendors: [vendor],
  },
);
const { a, operator } = service;
const plain = { token: a.token, workflow: await operator.createWorkflow(a.id, { failureDetails: false }) };

test("whatever one vendor does costs its own entry alone, in one call that is on the ledger", async () => {
  await Promise.all(
    Object.entries(FAULTS).map(async ([path, ending]) => {
      const id = idOf(path);
      const reply = await service.run({ [id]: true, good__json: true });
      assert.equal(reply.statusCode, 200);
      const { transaction_id, status, outputs } = reply.json();
      assert.match(status[id].message, new RegExp(`^Adapter error: ${ending.says.source}`), path);
      const { kind, retryable, charged } = ending;
      assert.deepEqual(status[id].failure, { kind, retryable, charged }, path);
      assert.equal(outputs.good__json.name, "Ada");
      const { attempts, calls } = service.ledgerRows(transaction_id);
      assert.deepEqual(
        attempts.map(({ ordinal }) => ordinal),
        [0, 1],
        `${path}: one call each, never again`,
      );
      assert.deepEqual([calls[0]!["fault_kind"], calls[0]!["charged"]], [kind, charged]);
    }),
  );
});

test("a vendor that cannot be reached was sent nothing and has charged nothing", async () => {
  const { transaction_id, status } = (await service.run({ faulty__refused: true })).json();
  assert.equal(status.faulty__refused.message, "Adapter error: the vendor could not be reached");
  assert.deepEqual(status.faulty__refused.failure, { kind: "unreachable", retryable: true, charged: "no" });
  assert.deepEqual(service.ledgerRows(transaction_id).attempts, []);
  const line = (await service.runLines()).find((one) => one["transaction_id"] === transaction_id);
  assert.match(JSON.stringify(line), /"detail":\{"problem":"no connection"\},"cause":"Error ECONNREFUSED/);
});

test("failure details stand on failed entries alone, unless the workflow turns them off", async () => {
  const sources = { faulty__status_500: true, good__json: true, acme__none: true };
  const without = (await service.run(sources, {}, { as: plain })).json();
  for (const id of Object.keys(sources)) assert.equal(without.status[id].failure, undefined);
  const { status } = (await service.run(sources)).json();
  assert.deepEqual(status.faulty__status_500.failure, { kind: "vendor_5xx", retryable: true, charged: "unknown" });
  assert.deepEqual(status.acme__none.failure, { kind: "unknown_source", retryable: false, charged: "no" });
  assert.equal(status.good__json.failure, undefined);
});

test("a vendor's reply that is returned as it is arrives byte for byte, big numbers and all", async () => {
  const reply = await service.run({
    good__json: true,
    good__gzip: true,
    good__byte_order_mark: true,
    good__proto: true,
  });
  const record = '{"name":"Ada","score":12345678901234567890}';
  for (const id of ["good__json", "good__gzip", "good__byte_order_mark"])
    assert.ok(reply.text.includes(`"${id}":${record}`));
  assert.deepEqual(Object.keys(reply.json().outputs.good__proto), ["__proto__", "constructor"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("a 404 that the source reads itself is no match", async () => {
  const { status } = (await service.run({ good__not_found: true })).json();
  assert.deepEqual([status.good__not_found.success, status.good__not_found.match], [true, false]);
});

test("an address of no declared origin is not called", async () => {
  const { transaction_id, status } = (await service.run({ bad__undeclared: true })).json();
  assert.equal(status.bad__undeclared.message, "Adapter error: the adapter of this source failed");
  assert.deepEqual(service.ledgerRows(transaction_id).attempts, []);
});

test("a failure that a vendor reports inside a 200 has the kind that the author declares", async () => {
  const { status } = (await service.run({ bad__says_so: true })).json();
  assert.deepEqual(status.bad__says_so.failure, { kind: "rate_limited", retryable: false, charged: "no" });
});

test("the vendor's own message is never passed on", async () => {
  const reply = await service.run({ faulty__status_500: true, faulty__html: true, faulty__status_404: true });
  assert.ok(!/as asked|Sorry|html/i.test(reply.text.replaceAll("faulty__html", "")));
});

test("an outage behind a page that nobody can decode is an outage: retryable, and kept away from for a while", async () => {
  const down = await startVendor({ after });
  down.on("/people", body("page", { status: 503, headers: { "content-encoding": "br" } }));
  const people = compileDeclarative(
    `{id: acme__people, title: P, inputs: {type: object}, origins: ['${down.origin}'], request: {url: '${down.origin}/people'}, match: {record: body.name, no_record: body.none}}`,
    "people.yaml",
  );
  const service = await startService({ after }, { sources: [people], vendors: [down] });
  const workflow = await service.operator.createWorkflow(service.a.id);
  const failures = [];
  for (let runs = 0; runs < 21; runs += 1) {
    const { status } = (
      await service.run({ acme__people: true }, {}, { as: { token: service.a.token, workflow } })
    ).json();
    failures.push(status.acme__people.failure);
  }
  assert.deepEqual(failures[0], { kind: "vendor_5xx", retryable: true, charged: "unknown" });
  assert.deepEqual(failures[20], { kind: "shed", retryable: true, charged: "no" });
});

test("a vendor that keeps failing is not called for a while, and its neighbours are", async () => {
  const down = await startVendor({ after });
  const service = await startService(
    { after },
    {
      sources: [asksVendor("acme__down", down, "/status/500"), asksVendor("good__json", down, "/json")],
      vendors: [down],
    },
  );
  const workflow = await service.operator.createWorkflow(service.a.id);
  const as = { token: service.a.token, workflow };
  let shed = 0;
  for (let runs = 0; runs < 30; runs += 1) {
    const { status } = (await service.run({ acme__down: true, good__json: true }, {}, { as })).json();
    assert.equal(status.good__json.success, true);
    if (status.acme__down.failure.kind === "shed") shed += 1;
  }
  assert.equal(down.count("/status/500"), 20, "after twenty calls that failed");
  assert.equal(shed, 10);
  // Whose breaker opens is a matter of source and organization: B has not been failed yet.
  await service.run({ acme__down: true }, {}, { as: service.b });
  assert.equal(down.count("/status/500"), 21);
});
