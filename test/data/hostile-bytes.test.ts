import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { everyTurnWithin } from "../../src/terms/platform/cpu-time.kit.ts";
import { startService } from "../rig/service.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** The longest that anything of one client or vendor may use the thread while all others wait. */
const HELD_MS_MAX = 50;

const vendor = await startVendor({ after });
const MIB = 1024 * 1024;
const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));

const declared = (id: string, rest: string) =>
  compileDeclarative(
    `id: ${id}
title: Hostile
inputs: {type: object, properties: {name: {type: string, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$'}, mail: {type: string, format: url}, list: {type: array, uniqueItems: true}, padded: {type: string}}}
origins: ['${vendor.origin}']
${rest}`,
    `${id}.yaml`,
  );
const reading = (id: string, path: string, rest: string) =>
  declared(id, `request: {url: '${vendor.origin}${path}'}\n${rest}`);
const mapped = (id: string, path: string, map: string) =>
  reading(id, path, `match: {record: 'status == \`200\`', no_record: 'status == \`404\`'}\nmap: {x: "${map}"}`);
const xml = (id: string, path: string) =>
  reading(
    id,
    path,
    `reply: {format: xml}\nmatch: {record: 'status == \`200\`', no_record: 'status == \`404\`'}\nmap: {x: body.r.a}`,
  );

const REPLIES: Readonly<Record<string, string | Buffer>> = {
  "/cdata": `<a>${fill("<![CDATA[", 4 * MIB)}</a>`,
  "/cdata-small": `<a>${fill("<![CDATA[", MIB)}</a>`,
  "/elements": `<r>${fill("<a/>", 2 * MIB - 100)}</r>`,
  "/references": `<r><a>${fill("&amp;", MIB)}</a></r>`,
  "/spaces": JSON.stringify({ name: `x${" ".repeat(MIB)}x` }),
  "/values": `{"items":[${fill("{},", 4 * MIB)}{}]}`,
  "/items": JSON.stringify({ items: Array.from({ length: 20_000 }, (_, id) => ({ id })) }),
  "/texts": JSON.stringify({ texts: Array.from({ length: 20 }, (_, at) => "a".repeat(100_000) + at) }),
};
for (const [path, reply] of Object.entries(REPLIES))
  vendor.on(
    path,
    body(reply, { headers: { "content-type": path.startsWith("/cdata") ? "text/xml" : "application/json" } }),
  );
const bomb = gzipSync(`{"items":[${fill("{},", 9 * MIB)}{}]}`);
vendor.on("/bomb", body(bomb, { headers: { "content-type": "application/json", "content-encoding": "gzip" } }));

const sources = [
  xml("xml__cdata", "/cdata"),
  xml("xml__cdata_small", "/cdata-small"),
  xml("xml__elements", "/elements"),
  xml("xml__references", "/references"),
  mapped("map__trim", "/spaces", "trim(body.name)"),
  mapped("map__values", "/values", "body.items[*].{a: a, b: b, c: c}"),
  mapped("map__bomb", "/bomb", "body.items[*].{a: a}"),
  mapped("map__root", "/items", "body.items[*].[$.body.items[*].id]"),
  mapped("map__manifold", "/items", "map(&$.body.items, body.items)"),
  mapped("map__sort", "/texts", "sort(body.texts)"),
  mapped("map__inputs", "/items", "body.items[0].id"),
];
const service = await startService({ after }, { sources, vendors: [vendor] });

async function outcome(id: string, inputs: object = {}) {
  let status: { success: boolean; message: string; failure?: { kind: string } };
  await everyTurnWithin(HELD_MS_MAX, async () => {
    status = (await service.run({ [id]: true }, inputs)).json().status[id];
  });
  return status!;
}

const USABLE = new Set(["map__inputs", "map__trim", "map__sort"]);
for (const { id } of sources.filter(({ id: name }) => !USABLE.has(name))) {
  test(`${id}: a vendor's reply affects its own entry only, and takes bounded time`, async () => {
    const status = await outcome(id);
    assert.equal(status.failure?.kind, "contract", status.message);
    assert.match(status.message, /^Adapter error: the vendor's answer cannot be used: /);
  });
}

test("long texts that are made to be trimmed or sorted slowly are trimmed and sorted as any others", async () => {
  assert.equal((await outcome("map__trim")).success, true);
  assert.equal((await outcome("map__sort")).success, true);
});

test("a caller's inputs take bounded time, whatever the pattern, the format and the names", async () => {
  const explosive = { name: "a".repeat(700_000) };
  assert.equal((await outcome("map__inputs", explosive)).failure?.kind, "input");
  assert.equal((await outcome("map__inputs", { mail: `http://${"::".repeat(300_000)} ` })).failure?.kind, "input");
  const objects = (length: number) => Array.from({ length }, (_, id) => ({ id, b: id }));
  assert.equal((await outcome("map__inputs", { list: objects(8_000) })).success, true);
  assert.equal((await outcome("map__inputs", { list: objects(20_000) })).failure?.kind, "input");
  const misspelled = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`naem${at}`, at]));
  assert.equal((await outcome("map__inputs", misspelled)).success, true);
});

test("a body that is all values is refused before anything is built of it", async () => {
  await everyTurnWithin(HELD_MS_MAX, async () => {
    const text = `{"config":{"sources":{"map__inputs":true}},"inputs":{"list":[${fill("[],", 900_000)}[]]}}`;
    const reply = await service.post("/data", text);
    assert.equal(reply.statusCode, 422);
    assert.match(reply.text, /holds too many values/);
  });
});
