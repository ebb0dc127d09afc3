import assert from "node:assert/strict";
import { test } from "node:test";
import { billedRequestsMax } from "../../../sdk/source.ts";
import type { Json } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, type FakeReply, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";

const LIST = (more = "") =>
  `{name: list, request: {url: 'https://api.acme.example/list', query: {q: '{{ inputs.name }}', after: '{{ steps.list.body.items[-1].id }}'}}, repeat: {while: body.more, max: 3}${more}}`;
const JOINED = "map: {ids: 'steps.list.pages[].items[].id', more: body.more}";
const RULES =
  "match: {record: 'steps.list.pages[].items[]', no_record: 'steps.list.body && !(steps.list.pages[].items[])'}";
const page = (more: boolean, ...ids: number[]) => ({ items: ids.map((id) => ({ id })), more });

const compiled = (parts: string) => compileDeclarative(fileWith(parts), "acme.yaml");
const replying = (...replies: FakeReply[]) =>
  fakeCall((_, at) => replies[at] ?? replyOf(599), { inputs: { name: "Ada" } });
const queriesOf = (asked: readonly Asked[]) => asked.map(({ url }) => new URL(url).search);

test("a step is repeated while there is a further page, and map joins the pages", async () => {
  const { call, asked } = replying(replyOf(200, page(true, 1, 2)), replyOf(200, page(false, 3)));
  assert.deepEqual(await compiled(`steps: [${LIST()}]\n${RULES}\n${JOINED}`).run(call), {
    ids: [1, 2, 3],
    more: false,
  });
  assert.deepEqual(queriesOf(asked), ["?q=Ada", "?q=Ada&after=2"]);
});

test("after the largest number of pages the source continues with what it has", async () => {
  const pages = [1, 2, 3, 4].map((id) => replyOf(200, page(true, id)));
  const { call, asked } = replying(...pages);
  assert.deepEqual(await compiled(`steps: [${LIST()}]\n${RULES}\n${JOINED}`).run(call), { ids: [1, 2, 3], more: true });
  assert.equal(asked.length, 3);
});

test("each page has a charge of its own, and the most billed requests of a call count them all", async () => {
  const replies = [replyOf(200, page(true, 1)), replyOf(200, page(true)), replyOf(200, page(false, 2))];
  const source = compiled(
    `steps: [${LIST()}, {name: free, free: true, request: {url: 'https://api.acme.example/f'}}, {name: last, request: {url: 'https://api.acme.example/l'}}]\ncharge: [{when: '!(body.items)', amount: 0}, {model: per_call, amount: 1, currency: EUR}]\n${RULES}\nmap: {ids: 'steps.list.pages[].items[].id'}`,
  );
  assert.equal(source[billedRequestsMax], 4);
  const { call, asked } = replying(...replies, replyOf(200), replyOf(200));
  assert.deepEqual(await source.run(call), { ids: [1, 2] });
  assert.deepEqual(
    replies.map(({ said }) => said),
    [[], ["no"], []],
  );
  assert.deepEqual(
    asked.map(({ options }) => options.free),
    [false, false, false, true, false],
  );
});

test("only the first page can mean that there is no record; a later one that cannot be read fails the source", async () => {
  const none = ", match: {no_record: 'length(body.items) == `0`'}";
  const source = compiled(`steps: [${LIST(none)}]\n${RULES}\n${JOINED}`);
  const empty = replying(replyOf(200, page(true)));
  assert.equal(await source.run(empty.call), null);
  assert.equal(empty.asked.length, 1);
  const trailing = replying(replyOf(200, page(true, 1)), replyOf(200, page(false)));
  assert.deepEqual(await source.run(trailing.call), { ids: [1], more: false });
  for (const [status, code] of [
    [404, "source.vendor_4xx"],
    [500, "source.vendor_5xx"],
    [200, "source.contract"],
  ] as const) {
    const broken = replying(replyOf(200, page(true, 1)), replyOf(status, status === 200 ? Buffer.alloc(0) : {}));
    assert.equal((await faultOf(source.run(broken.call))).code, code);
  }
});

test("a step after the pages reads them, and a condition skips them all", async () => {
  const first = "{name: first, request: {url: 'https://api.acme.example/first'}}";
  const list = LIST(", when: steps.first.body.has_list");
  const last =
    "{name: last, request: {url: 'https://api.acme.example/last', query: {id: '{{ steps.list.body.items[0].id }}'}}}";
  const source = compiled(
    `steps: [${first}, ${list}, ${last}]\nmap: {ids: 'steps.list.pages[].items[].id', z: body.z}`,
  );
  const body: Json = { has_list: true };
  const { call, asked } = replying(
    replyOf(200, body),
    replyOf(200, page(true, 1)),
    replyOf(200, page(false, 7)),
    replyOf(200, { z: 1 }),
  );
  assert.deepEqual(await source.run(call), { ids: [1, 7], z: 1 });
  assert.deepEqual(queriesOf(asked), ["", "?q=Ada", "?q=Ada&after=1", "?id=7"]);
  const without = replying(replyOf(200, {}), replyOf(200, { z: 2 }));
  assert.deepEqual(await source.run(without.call), { z: 2 });
});

test("a repeated step that asks the same thing again, polls or orders is refused", () => {
  const url = "url: 'https://api.acme.example/list'";
  const repeat = "repeat: {while: body.more, max: 3}";
  for (const [step, says] of [
    [`{name: list, request: {${url}}, ${repeat}}`, /the first page again.*steps\.list\.body\.next/s],
    [LIST(", free: true, poll: {until: body.done}"), /poll has no pages/],
    [LIST(", order_id: body.id"), /order_id has no pages/],
    [LIST().replace("max: 3", "max: 21"), /at most 20/],
    [`{name: list, request: {${url}, query: {a: '{{ steps.list.body.next }}'}}}`, /no reply yet/],
  ] as const) {
    assert.throws(() => compiled(`steps: [${step}]\nmap: {a: body.a}`), says);
  }
});
