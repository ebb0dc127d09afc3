import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../terms/time/clock.kit.ts";
import { Fault } from "../../../terms/fault.ts";
import { fakeCall, faultOf, fileWith, replyOf, type FakeReply } from "../fake-call.kit.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { DeclarationError } from "../format/declaration-error.ts";
import { retryAfterMs } from "./retry-after.ts";

const file = (poll: string, parts = "") =>
  fileWith(`
steps:
  - {name: order, request: {method: POST, url: 'https://api.acme.example/orders'}, order_id: body.id}
  - name: report
    free: true
    request: {url: 'https://api.acme.example/orders/{{ order_id }}'}
    ${parts}
    poll: {until: "body.state == 'done'", ${poll}}
map: {score: body.score}`);

const ORDERED = replyOf(201, { id: "o-1" });
const PENDING = replyOf(200, { state: "pending" });
const DONE = replyOf(200, { state: "done", score: 1 });
const LOST = new Fault("source.connection_lost");

/** Gives the replies in order, then repeats the last one. */
async function play(text: string, replies: readonly (FakeReply | Fault)[], timeMs?: number) {
  const answer = (_: unknown, at: number) => {
    const reply = replies[Math.min(at, replies.length - 1)]!;
    if (reply instanceof Fault) throw reply;
    return reply;
  };
  const played = fakeCall(answer, timeMs === undefined ? {} : { timeMs });
  let found: unknown;
  try {
    found = await compileDeclarative(text, "acme.yaml").run(played.call);
  } catch (thrown) {
    found = thrown;
  }
  const fault = found instanceof Fault ? found : null;
  const orders = played.asked.filter(({ method }) => method === "POST").length;
  return {
    found,
    code: fault?.code,
    fault,
    orders,
    polls: played.asked.length - orders,
    waits: played.waits,
    said: played.orders,
  };
}

test("a step is asked until it holds, with a wait before and between", async () => {
  const played = await play(file("first_after_ms: 500, every_ms: 200"), [ORDERED, PENDING, PENDING, DONE]);
  assert.deepEqual(played.found, { score: 1 });
  assert.deepEqual([played.orders, played.polls, played.waits], [1, 3, [500, 200, 200]]);
});

test("waits grow, to ten times the first at the most", async () => {
  const { waits } = await play(file("every_ms: 100, backoff: 4"), [ORDERED, PENDING, PENDING, PENDING, PENDING, DONE]);
  assert.deepEqual(waits, [100, 400, 1_000, 1_000]);
});

test("what is not ready in time, or within its requests, is pending and names its order", async () => {
  const late = await play(file("every_ms: 400"), [ORDERED, PENDING], 1_000);
  assert.deepEqual([late.code, late.orders, late.polls, late.waits], ["source.pending", 1, 3, [400, 400]]);
  const many = await play(file("every_ms: 50, max_polls: 4"), [ORDERED, PENDING]);
  assert.deepEqual([many.code, many.polls, many.said], ["source.pending", 4, ["o-1"]]);
});

test("Retry-After is obeyed, of the order's answer too, and nothing is waited for that comes after the deadline", async () => {
  const again = replyOf(200, { state: "pending" }, { "retry-after": "3" });
  const ordered = replyOf(202, { id: "o-1" }, { "retry-after": "5" });
  const obeyed = await play(file("every_ms: 100"), [ordered, again, DONE]);
  assert.deepEqual(obeyed.waits, [5_000, 3_000]);
  const tooLate = await play(file("every_ms: 100"), [ORDERED, replyOf(429, {}, { "retry-after": "60" }), DONE]);
  assert.deepEqual([tooLate.code, tooLate.polls], ["source.pending", 1]);
});

test("seconds, fractions of them and the three formats of dates are read, and nothing else", () => {
  const clock = new FakeClock();
  const of = (text: string) => retryAfterMs({ "retry-after": text }, clock);
  assert.equal(of("120"), 120_000);
  assert.deepEqual([of("1.5"), of(" 0.25 "), of("2.0"), of("0")], [2_000, 1_000, 2_000, 0]);
  const inSeconds = (seconds: number) => new Date((Math.floor(clock.wall() / 1_000) + seconds) * 1_000);
  const isSoon = (ms: number) => ms > 3_999 && ms <= 5_000;
  for (const at of [inSeconds(5), inSeconds(5 - 86_400 * 40)]) {
    const [weekday, day, month, year, time] = at.toUTCString().replace(",", "").split(" ") as [
      string,
      string,
      string,
      string,
      string,
    ];
    const longDay = at.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
    for (const text of [
      at.toUTCString(),
      `${longDay}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
      `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
    ])
      assert.ok(at.getTime() > clock.wall() ? isSoon(of(text)) : of(text) === 0, text);
  }
  for (const text of [
    "",
    "soon",
    "-5",
    "1,5",
    "1.",
    "1e3",
    "Thu, nonsense",
    "9".repeat(30),
    "Sun, 06 Foo 2094 08:49:37 GMT",
    "Sun, 06 Nov 2094 25:49:37 GMT",
  ])
    assert.equal(of(text), 0, text);
  assert.equal(retryAfterMs({}, clock), 0);
});

test("a poll that fails is followed by the next, and the third in a row fails the source; the order is not sent again", async () => {
  for (const failed of [
    replyOf(500),
    replyOf(503),
    replyOf(429),
    replyOf(408),
    LOST,
    new Fault("source.queue_full"),
    new Fault("source.unreachable"),
  ]) {
    const once = await play(file("every_ms: 50"), [ORDERED, failed, failed, PENDING, failed, failed, DONE]);
    assert.deepEqual([once.found, once.orders, once.polls], [{ score: 1 }, 1, 6]);
    const thrice = await play(file("every_ms: 50"), [ORDERED, failed]);
    assert.deepEqual([thrice.orders, thrice.polls, thrice.fault?.reported], [1, 3, null]);
  }
});

test("what no further request mends fails at once", async () => {
  for (const [failed, code] of [
    [replyOf(401), "source.credential_rejected"],
    [replyOf(404), "source.vendor_4xx"],
    [replyOf(200, "half of"), "source.contract"],
    [new Fault("source.unrecorded"), "source.unrecorded"],
  ] as const) {
    const played = await play(file("every_ms: 50"), [ORDERED, failed]);
    assert.deepEqual([played.code, played.polls], [code, 1]);
  }
});

test("a status may mean 'not yet', or 'no record'", async () => {
  const notYet = await play(file("every_ms: 50", "answers: [404]"), [ORDERED, replyOf(404), DONE]);
  assert.deepEqual([notYet.found, notYet.polls], [{ score: 1 }, 2]);
  const nobody = await play(file("every_ms: 50", "match: {no_record: 'status == `410`'}"), [
    ORDERED,
    PENDING,
    replyOf(410),
  ]);
  assert.deepEqual([nobody.found, nobody.polls], [null, 2]);
});

test("the failure that a vendor reports ends the poll", async () => {
  const FAILED = replyOf(200, { state: "failed" });
  const given = await play(file("every_ms: 50, fail_when: \"body.state == 'failed'\""), [ORDERED, PENDING, FAILED]);
  assert.deepEqual([given.code, given.fault?.reported], ["source.vendor_failure", {}]);
  const errors = "errors: [{when: {predicate: \"body.state == 'failed'\"}, kind: input, charged: 'no'}]";
  const charged = await play(file("every_ms: 50", errors), [ORDERED, FAILED]);
  assert.deepEqual([charged.code, charged.fault?.reported], ["source.vendor_input", { charged: "no" }]);
});

test("a source may ask one address until it is ready: what it waits for has no number then", async () => {
  const text = fileWith(`
steps: [{name: report, free: true, request: {url: 'https://api.acme.example/r'}, poll: {until: 'status == \`200\`', max_polls: 2}}]
map: {score: body.score}`);
  const found = await play(text, [replyOf(202), DONE]);
  assert.deepEqual([found.found, found.said], [{ score: 1 }, [undefined]]);
  assert.equal((await play(text, [replyOf(202)])).code, "source.pending");
});

test("a step that polls must be free, and its rules are checked", () => {
  const refusedFor = (text: string, says: RegExp) =>
    assert.throws(
      () => compileDeclarative(text, "acme.yaml"),
      (error) => error instanceof DeclarationError && says.test(error.message) && error.line > 1,
    );
  refusedFor(file("every_ms: 50").replace("free: true", "free: false"), /must be free/);
  refusedFor(file("every_ms: 10"), /at least 50/);
  refusedFor(file("evry_ms: 100"), /"every_ms"/);
  refusedFor(file("fail_when: boddy.x"), /"body"/);
  refusedFor(file("fail_when: steps.report.body.x"), /no step "report" here/);
});

test("the deadline that a wait ends by is the call's own fault", async () => {
  const { call } = fakeCall(() => ORDERED);
  const waits = { ...call, wait: () => Promise.reject(new Fault("source.pending")) };
  assert.equal((await faultOf(compileDeclarative(file("first_after_ms: 1"), "a").run(waits))).code, "source.pending");
});
