import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
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
  const unknown = compiled(
    `steps: [${LIST("")}]\nmatch: {record: "status == \`200\`", no_record: "status == \`404\`"}\n${JOINED}`,
  );
  assert.equal(await unknown.run(replying(replyOf(404, {})).call), null);
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
    [`{name: list, request: {${url}}, repeat: {max: 3}}`, /pages need "while" or "next"/],
    [LIST(", free: true, poll: {until: body.done}"), /poll has no pages/],
    [LIST(", order_id: body.id"), /order_id has no pages/],
    [LIST().replace("max: 3", "max: 21"), /at most 20/],
    [`{name: list, request: {${url}, query: {a: '{{ steps.list.body.next }}'}}}`, /no reply yet/],
  ] as const) {
    assert.throws(() => compiled(`steps: [${step}]\nmap: {a: body.a}`), says);
  }
});

const LINKED = (repeat: string, request = "url: 'https://api.acme.example/v1/list', query: {q: '{{ inputs.name }}'}") =>
  `steps: [{name: list, request: {${request}}, repeat: {${repeat}, max: 5}}]\n${RULES}\nmap: {ids: 'steps.list.pages[].items[].id'}`;
const NEXT = "next: body.next";
const linkedPage = (id: number, next: Json) => replyOf(200, { items: [{ id }], next });
const headed = (id: number, link?: string) => replyOf(200, { items: [{ id }] }, link === undefined ? {} : { link });
const urlsOf = (asked: readonly Asked[]) => asked.map(({ url }) => url.replace("https://api.acme.example", ""));

test("the link to the next page replaces path and query of the request, until there is none", async () => {
  for (const end of [null, "", false, undefined]) {
    const { call, asked } = replying(
      linkedPage(1, "https://API.acme.example:443/v1/list/?cursor=a%2Fb+c==&q=Ada#top"),
      linkedPage(2, "?cursor=2"),
      linkedPage(3, "/v2/list"),
      end === undefined ? replyOf(200, { items: [{ id: 4 }] }) : linkedPage(4, end),
    );
    assert.deepEqual(await compiled(LINKED(NEXT)).run(call), { ids: [1, 2, 3, 4] });
    assert.deepEqual(urlsOf(asked), [
      "/v1/list?q=Ada",
      "/v1/list/?cursor=a%2Fb+c==&q=Ada",
      "/v1/list/?cursor=2",
      "/v2/list",
    ]);
  }
});

test("a field Link names the next page", async () => {
  const { call, asked } = replying(
    headed(1, '<https://api.acme.example/p?n=1>; rel="first", </p?n=2,3>; title="a, b; rel=last" ; REL="Last  NEXT"'),
    headed(2, "</p?n=3>;rel=next"),
    headed(3, '</p?n=1>; rel="first", </p>; rel="next-archive"'),
  );
  assert.deepEqual(await compiled(LINKED("next: headers.link")).run(call), { ids: [1, 2, 3] });
  assert.deepEqual(urlsOf(asked), ["/v1/list?q=Ada", "/p?n=2,3", "/p?n=3"]);
  const single = replying(headed(1));
  assert.deepEqual(await compiled(LINKED("next: headers.link")).run(single.call), { ids: [1] });
});

test("a condition can end the list although there is a link", async () => {
  const { call } = replying(linkedPage(1, "?a"), linkedPage(2, "?b"));
  assert.deepEqual(await compiled(LINKED(`${NEXT}, while: 'body.items[0].id < \`2\`'`)).run(call), { ids: [1, 2] });
});

test("credentials are applied to each page as the file declares, and never twice", async () => {
  const auth = `auth:
  - {kind: api_key, query: key, value: '{{ credentials.key }}'}
  - {kind: hmac, algorithm: sha256, key: '{{ credentials.key }}', canonical: '{{ request.path }}?{{ request.query }}', encoding: hex}
credentials: {type: object, properties: {key: {type: string}}}`;
  const request = `url: 'https://api.acme.example/v1/list', query: {q: '{{ inputs.name }}', user: '{{ credentials.key }}', sig: '{{ signature }}'}, headers: {X-Q: '{{ inputs.name }}'}`;
  const { call, asked } = fakeCall(
    (_, at) => linkedPage(at, at === 0 ? "/v1/next?key=k&c=1&sig=old&user=k&user=other" : null),
    { inputs: { name: "Ada" }, credentials: { key: "k" } },
  );
  await compiled(`${auth}\n${LINKED(NEXT, request)}`).run(call);
  const signature = createHmac("sha256", "k").update("/v1/next?c=1&user=k&key=k").digest("hex");
  assert.equal(asked[1]!.url, `https://api.acme.example/v1/next?c=1&user=k&sig=${signature}&key=k`);
  assert.equal(asked[1]!.options.headers?.["x-q"], "Ada");
});

test("a link to anywhere but the origin of the request is refused, and its address is told to nobody", async () => {
  for (const link of [
    "https://evil.example/x?secret",
    "http://api.acme.example/secret",
    "https://api.acme.example:8443/secret",
    "//evil.example/secret",
    "https://api.acme.example@evil.example/secret",
    "https://secret@api.acme.example/",
    "https://api.acme.example.evil.example/secret",
    "\\\\evil.example\\secret",
    "javascript:secret",
    "https://other.acme.example/secret",
    "https://",
    `/${"secret".repeat(20_000)}`,
    7,
    { href: "secret" },
    "<https://evil.example/secret>; rel=next",
  ]) {
    // oxfmt-ignore
    const { call, asked } = replying(linkedPage(1, link), linkedPage(2, null));
    const source = compiled(`origins: [https://api.acme.example, https://other.acme.example]\n${LINKED(NEXT)}`);
    const fault = await faultOf(source.run(call));
    assert.equal(fault.code, "source.contract");
    assert.match(fault.says, /the link to its next page/);
    assert.doesNotMatch(`${fault.says} ${JSON.stringify(fault.detail)}`, /secret|evil/);
    assert.equal(asked.length, 1);
  }
});

test("a list whose link leads back to a page before it fails", async () => {
  for (const [links, sent] of [
    [["?q=Ada"], 1],
    [["?c=2", "?c=2"], 2],
    [["?c=2", "?c=3", "/v1/list?c=2#x"], 3],
  ] as const) {
    const { call, asked } = replying(...links.map((link, id) => linkedPage(id, link)));
    const fault = await faultOf(compiled(LINKED(NEXT)).run(call));
    assert.match(fault.says, /a page before it/);
    assert.equal(asked.length, sent);
  }
});
