import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { type Asked, fakeCall, type FakeReply, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { DeclarationError } from "../format/declaration-error.ts";

const ORDER =
  "{name: order, request: {method: POST, url: 'https://api.acme.example/orders', body: {json: {name: '{{ inputs.name }}'}}}, order_id: body.id}";
const REPORT =
  "{name: report, free: true, request: {url: 'https://api.acme.example/orders/{{ order_id }}', query: {lang: '{{ steps.order.body.lang }}'}}}";

const compiled = (...steps: string[]) =>
  compileDeclarative(fileWith(steps.length === 1 ? steps[0]! : `steps: [${steps.join(", ")}]`), "acme.yaml");

/** Answers the requests in order. */
function answering(replies: readonly FakeReply[], given: { inputs?: JsonObject; credentials?: JsonObject } = {}) {
  return fakeCall((_, at) => replies[at] ?? replyOf(599), { inputs: { name: "Ada" }, ...given });
}

const urlsOf = (asked: readonly Asked[]) =>
  asked.map(({ method, url }) => `${method} ${new URL(url).pathname}${new URL(url).search}`);

test("a later request is made of an earlier answer, and the last one says what was found", async () => {
  const { call, asked, orders } = answering([replyOf(201, { id: 7, lang: "de" }), replyOf(200, { score: 1 })]);
  const found = await compiled(
    `steps: [${ORDER}, ${REPORT}]\nmap: {score: body.score, lang: steps.order.body.lang}`,
  ).run(call);
  assert.deepEqual(found, { score: 1, lang: "de" });
  assert.deepEqual(urlsOf(asked), ["POST /orders", "GET /orders/7?lang=de"]);
  assert.deepEqual(
    asked.map(({ options }) => options.free),
    [false, true],
  );
  assert.deepEqual(orders, ["7"]);
});

test("a step whose condition does not hold is left out, and its answer is nothing", async () => {
  const extra = "{name: extra, when: inputs.tags, request: {url: 'https://api.acme.example/extra'}}";
  const last = "{name: last, request: {url: 'https://api.acme.example/last', query: {x: '{{ steps.extra.body.x }}'}}}";
  const source = compiled(`steps: [${ORDER}, ${extra}, ${last}]\nmap: {x: steps.extra.body.x, y: body.y}`);
  const without = answering([replyOf(201, { id: "o" }), replyOf(200, { y: 1 })]);
  assert.deepEqual(await source.run(without.call), { y: 1 });
  assert.deepEqual(urlsOf(without.asked), ["POST /orders", "GET /last"]);
  const withIt = answering([replyOf(201, { id: "o" }), replyOf(200, { x: 2 }), replyOf(200, { y: 1 })], {
    inputs: { name: "Ada", tags: ["a"] },
  });
  assert.deepEqual(await source.run(withIt.call), { x: 2, y: 1 });
  assert.deepEqual(urlsOf(withIt.asked), ["POST /orders", "GET /extra", "GET /last?x=2"]);
});

test("a condition may be about earlier answers", async () => {
  const more =
    "{name: more, when: 'steps.order.body.state != `\"done\"`', request: {url: 'https://api.acme.example/more'}}";
  const source = compiled(`steps: [${ORDER}, ${more}]\nmap: {id: steps.order.body.id}`);
  const { call, asked } = answering([replyOf(200, { id: "o", state: "done" })]);
  assert.deepEqual(await source.run(call), { id: "o" });
  assert.equal(asked.length, 1);
});

test("a step without a match ends the source, and nothing more is sent", async () => {
  const { call, asked } = answering([replyOf(404, { why: "unknown" })]);
  const order = ORDER.replace("order_id", "match: {no_record: 'status == `404`'}, order_id");
  const nobody = await compiled(`steps: [${order}, ${REPORT}]\nmap: {s: body.s}\nmap_no_record: {why: body.why}`).run(
    call,
  );
  assert.deepEqual((nobody as unknown as { output: object }).output, { why: "unknown" });
  assert.equal(asked.length, 1);
});

test("nothing is built on an answer that no rule reads", async () => {
  for (const [status, code] of [
    [500, "source.vendor_5xx"],
    [409, "source.vendor_4xx"],
    [401, "source.credential_rejected"],
    [302, "source.contract"],
  ] as const) {
    const { call, asked } = answering([replyOf(status, { id: "o" })]);
    assert.equal((await faultOf(compiled(ORDER, REPORT).run(call))).code, code);
    assert.equal(asked.length, 1);
  }
  const { call } = answering([replyOf(409, { id: "o" }), replyOf(200)]);
  await compiled(ORDER.replace("order_id", "answers: [409], order_id"), REPORT).run(call);
});

test("an order without a number that can be used is a broken contract, since nobody could ask for it", async () => {
  for (const id of [null, "", {}, ["a"], true]) {
    const { call } = answering([replyOf(201, { id })]);
    assert.equal((await faultOf(compiled(ORDER, REPORT).run(call))).code, "source.contract");
  }
});

test("whatever a later request is made of that the caller sent is looked at before anything is ordered", async () => {
  const later =
    "{name: later, free: true, request: {url: 'https://api.acme.example/{{ steps.order.body.id }}', query: {n: \"{{ inputs.born | date('YYYY') }}\"}}}";
  const { call, asked } = answering([replyOf(201)], { inputs: { name: "Ada", born: "soon" } });
  const fault = await faultOf(compiled(ORDER, later).run(call));
  assert.deepEqual([fault.code, fault.detail["field"]], ["source.input_invalid", "born"]);
  assert.equal(asked.length, 0);
  const unneeded = later.replace("free: true", "free: true, when: 'inputs.n'");
  const skipped = answering([replyOf(200, { id: "o" })], { inputs: { name: "Ada", born: "soon" } });
  await compiled(ORDER, unneeded).run(skipped.call);
});

test("an error status of a free request is its own; what a readable answer reports is recorded for the order", async () => {
  const failing = REPORT.replace(
    "free",
    "errors: [{when: {predicate: 'body.state == `\"failed\"`'}, kind: vendor_5xx}], free",
  );
  const lost = answering([replyOf(201, { id: "o" }), replyOf(503)]);
  assert.equal((await faultOf(compiled(ORDER, failing).run(lost.call))).reported, null);
  const reported = answering([replyOf(201, { id: "o" }), replyOf(200, { state: "failed" })]);
  assert.deepEqual((await faultOf(compiled(ORDER, failing).run(reported.call))).reported, { charged: undefined });
});

test("a rule of the charge is asked of each answer that may be billed", async () => {
  const replies = [replyOf(201, { id: "o", cached: true }), replyOf(200, { cached: false })];
  const { call } = answering(replies);
  const paid = REPORT.replace("free: true, ", "");
  await compiled(`steps: [${ORDER}, ${paid}]\ncharge: {model: per_call, when: '!(body.cached)'}`).run(call);
  assert.deepEqual(
    replies.map(({ said }) => said),
    [["no"], []],
  );
});

test("one login serves all requests of a call, and is made again once where it is refused", async () => {
  const auth =
    "auth: {kind: token_exchange, request: {method: POST, url: 'https://api.acme.example/login'}, token: body.token}";
  const source = compiled(`${auth}\nsteps: [${ORDER}, ${REPORT}]`);
  const { call, asked } = answering([
    replyOf(200, { token: "t1" }),
    replyOf(201, { id: "o" }),
    replyOf(401),
    replyOf(200, { token: "t2" }),
    replyOf(200),
  ]);
  await source.run(call);
  assert.deepEqual(urlsOf(asked), ["POST /login", "POST /orders", "GET /orders/o", "POST /login", "GET /orders/o"]);
  assert.deepEqual(
    asked.filter((_, at) => at !== 0 && at !== 3).map(({ options }) => options.headers?.["authorization"]),
    ["Bearer t1", "Bearer t1", "Bearer t2"],
  );
});

test("a vendor's own words change neither the host nor the shape of the path of what is sent next", async () => {
  for (const id of ["../admin", "a/b", "..", "%2e%2e%2fadmin", "%252e%252e", "x\\y"]) {
    const { call, asked } = answering([replyOf(201, { id })]);
    assert.equal((await faultOf(compiled(ORDER, REPORT).run(call))).code, "source.contract", id);
    assert.equal(asked.length, 1, "the order, and nothing else");
  }
  const { call, asked } = answering([replyOf(201, { id: "a b?c#d@evil.example" }), replyOf(200)]);
  await compiled(ORDER, REPORT).run(call);
  assert.equal(asked[1]!.url, "https://api.acme.example/orders/a%20b%3Fc%23d%40evil.example");
});

test("an order that is lost on the way is not sent again", async () => {
  const { call, asked } = fakeCall(() => Promise.reject(new Fault("source.connection_lost")), {
    inputs: { name: "A" },
  });
  assert.equal((await faultOf(compiled(ORDER, REPORT).run(call))).code, "source.connection_lost");
  assert.equal(asked.length, 1);
});

const RESUMING = `inputs: {type: object, properties: {name: {type: string}, order_id: {type: [string, integer]}}}
resume: {step: report}
steps: [${ORDER}, ${REPORT.replace(", query: {lang: '{{ steps.order.body.lang }}'}", "")}]
map: {score: body.score, lang: steps.order.body.lang}`;

test("a run that is given an order's number orders nothing, and asks for what was ordered", async () => {
  for (const given of ["o-7", 7]) {
    const { call, asked, orders } = answering([replyOf(200, { score: 1 })], {
      inputs: { name: "Ada", order_id: given },
    });
    assert.deepEqual(await compiled(RESUMING).run(call), { score: 1 });
    assert.deepEqual(urlsOf(asked), [`GET /orders/${given}`]);
    assert.deepEqual(orders, [String(given)]);
  }
  const first = answering([replyOf(201, { id: "o-1", lang: "de" }), replyOf(200, { score: 2 })], {
    inputs: { name: "Ada", order_id: "" },
  });
  assert.deepEqual(await compiled(RESUMING).run(first.call), { score: 2, lang: "de" });
});

test("a number that can be none is the caller's, and nothing is sent", async () => {
  const { call, asked } = answering([], { inputs: { order_id: "a b" } });
  const refusing = { ...call, ordered: () => assert.fail("no number") };
  for (const [each, inputs] of [
    [refusing, { order_id: "a b" }],
    [call, { order_id: ["o-1"] }],
  ] as const) {
    const fault = await faultOf(compiled(RESUMING).run({ ...each, inputs: inputs as unknown as JsonObject }));
    assert.deepEqual([fault.code, fault.detail["field"]], ["source.input_invalid", "order_id"]);
  }
  assert.equal(asked.length, 0);
});

const step = (parts: string) => `{name: a, request: {url: 'https://api.acme.example/a'}${parts}}`;
test("each step can read its reply in a format of its own", async () => {
  const source = compiled(`steps:
  - {name: login, free: true, request: {method: POST, url: 'https://api.acme.example/login'}, reply: {format: form}}
  - {name: rows, request: {url: 'https://api.acme.example/rows', headers: {X-T: '{{ steps.login.body.t }}'}}, reply: {format: csv, delimiter: ;}}
  - {name: hits, request: {url: 'https://api.acme.example/hits'}, reply: {format: xml, lists: [r.hit]}}
  - {name: last, request: {url: 'https://api.acme.example/last'}}
map: {row: 'steps.rows.body[0].b', hit: 'steps.hits.body.r.hit[0]', last: body.x}`);
  const bodies = ["t=abc&z=1", "a;b\n1;2\n", "<r><hit>h</hit></r>", '{"x":3}'];
  const { call, asked } = fakeCall((_, at) => replyOf(200, bodies[at]!), { inputs: { name: "Ada" } });
  assert.deepEqual(await source.run(call), { row: "2", hit: "h", last: 3 });
  assert.equal(asked[1]!.options.headers?.["x-t"], "abc");
  assert.deepEqual(
    asked.map(({ options }) => String(options.headers?.["accept"]).split(",")[0]),
    ["application/x-www-form-urlencoded", "text/csv", "application/xml", "application/json"],
  );
  assert.throws(
    () => compiled("steps: [{name: a, request: {url: 'https://api.acme.example/'}, reply: {format: csv}}]"),
    /a reply in CSV needs "map"/,
  );
  assert.throws(
    () => compiled("steps: [{name: a, request: {url: 'https://api.acme.example/'}, reply: {delimiter: ;}}]"),
    /belongs to CSV/,
  );
});

const WRONG: readonly (readonly [what: string, parts: string, code: string, says: RegExp])[] = [
  ["neither a request nor steps", "request:", "format.value", /request/],
  ["both", `steps: [${step("")}]\nrequest: {url: 'https://api.acme.example/a'}`, "request.duplicate", /make it a step/],
  [
    "nine steps",
    `steps: [${"abcdefghi"
      .split("")
      .map((name) => step("").replace("name: a", `name: ${name}`))
      .join(", ")}]`,
    "format.value",
    /at most 8/,
  ],
  ["two steps of one name", `steps: [${step("")}, ${step("")}]`, "request.duplicate", /two steps "a"/],
  ["a condition of the first", `steps: [${step(", when: inputs.name")}]`, "format.value", /cannot have a condition/],
  ["two orders", `steps: [${ORDER}, ${step(", order_id: body.id")}]`, "request.duplicate", /one order/],
  [
    "a template of a step that comes later",
    `steps: [${REPORT.replace("{{ order_id }}", "x")}, ${ORDER}]`,
    "template.unknown_name",
    /"order" has no reply yet.*no step can be read/,
  ],
  [
    "a template of a misspelled step",
    `steps: [${ORDER}, ${REPORT.replace("steps.order", "steps.oder")}]`,
    "template.unknown_name",
    /"order"/,
  ],
  [
    "a template of what is not an answer",
    `steps: [${ORDER}, ${REPORT.replace("order.body", "order.bdy")}]`,
    "template.unknown_name",
    /steps\.order\.body/,
  ],
  [
    "an order's number before it is there",
    `steps: [${step("").replace("/a'", "/{{ order_id }}'")}, ${ORDER}]`,
    "template.unknown_name",
    /order_id/,
  ],
  [
    "an expression over a step that comes later",
    `steps: [${step(", match: {no_record: steps.order.body}")}, ${ORDER}]`,
    "expression.unknown_name",
    /no step "order" here/,
  ],
  [
    "an expression over its own step",
    `steps: [${step(", match: {no_record: steps.a.body}")}]`,
    "expression.unknown_name",
    /no step "a" here/,
  ],
  [
    "a map over a step that there is not",
    `steps: [${ORDER}]\nmap: {x: steps.oder.body.x}`,
    "expression.unknown_name",
    /"order"/,
  ],
  [
    "a map over what is not an answer",
    `steps: [${ORDER}]\nmap: {x: steps.order.bdy.x}`,
    "expression.unknown_name",
    /"body"/,
  ],
  [
    "a header's name of an earlier answer",
    `steps: [${ORDER}]\nmap: {x: steps.order.headers.Location}`,
    "expression.slip",
    /location/,
  ],
  [
    "a condition over an input that there is not",
    `steps: [${ORDER}, ${step(", when: inputs.nmae")}]`,
    "expression.unknown_name",
    /"name"/,
  ],
  [
    "a condition over its own answer",
    `steps: [${ORDER}, ${step(", when: body.x")}]`,
    "expression.unknown_name",
    /inputs, steps/,
  ],
  [
    "resuming at a step that there is not",
    RESUMING.replace("step: report", "step: reprot"),
    "format.value",
    /"report"/,
  ],
  [
    "resuming at the order itself",
    RESUMING.replace("step: report", "step: order"),
    "format.value",
    /order_id: body\.id/,
  ],
  [
    "resuming by an input that is not declared",
    RESUMING.replace(", order_id: {type: [string, integer]}", ""),
    "format.value",
    /no input "order_id".*anyOf/,
  ],
  [
    "resuming at a step with a condition",
    RESUMING.replace("free: true", "free: true, when: inputs.name"),
    "format.value",
    /always begins/,
  ],
  ["resuming without steps", "resume: {step: a}", "format.value", /no steps/],
  [
    "a request made of what a resumed run has not asked",
    RESUMING.replace(/steps:.*/, `steps: [${ORDER}, ${REPORT}]`),
    "template.unknown_name",
    /order_id/,
  ],
  ["steps where there are none", "map: {x: steps.order.body.x}", "expression.unknown_name", /"steps"/],
  ["a status that is an answer anyway", `steps: [${step(", answers: [200]")}]`, "format.value", /at least 400/],
  [
    "a number that would be sent otherwise",
    `steps: [${step("").replace("/a'", "/a', query: {v: 2.0}")}]`,
    "yaml.number_form",
    /"2\.0"/,
  ],
];

for (const [what, parts, code, says] of WRONG) {
  test(`a file is refused for ${what}`, () => {
    assert.throws(
      () => compiled(parts),
      (error) =>
        error instanceof DeclarationError && error.code === code && says.test(error.message) && error.line >= 1,
    );
  });
}
