import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../terms/time/clock.ts";
import { dnsResolve } from "./dns-resolve.ts";

const A = 1;
const AAAA = 28;

type Answer = readonly Buffer[] | "no such name" | "silence";

/** A name server on loopback with one answer per record type. */
async function startNameServer(t: TestContext, answers: Readonly<Record<number, Answer>>): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    // A header of 12 bytes, then the name with its terminator, type and class.
    const nameEnd = query.indexOf(0, 12);
    const answer = answers[query.readUInt16BE(nameEnd + 1)] ?? [];
    if (answer === "silence") return;
    const records = answer === "no such name" ? [] : answer;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(answer === "no such name" ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    const question = query.subarray(12, nameEnd + 5);
    const body = records.map((address) =>
      Buffer.concat([
        Buffer.from([0xc0, 12]),
        query.subarray(nameEnd + 1, nameEnd + 5),
        Buffer.from([0, 0, 0, 60, 0, address.length]),
        address,
      ]),
    );
    socket.send(Buffer.concat([header, question, ...body]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const FOUR = Buffer.from([192, 0, 2, 1]);
const SIX = Buffer.from("20010db8000000000000000000000001", "hex");

test("both families are asked for and given", async (t) => {
  const resolve = dnsResolve(systemClock, 2_000, [await startNameServer(t, { [A]: [FOUR], [AAAA]: [SIX] })]);

  assert.deepEqual(await resolve("api.acme.example"), ["192.0.2.1", "2001:db8::1"]);
});

test("a server that never answers for one family does not hold up the other", async (t) => {
  const resolve = dnsResolve(systemClock, 60_000, [await startNameServer(t, { [A]: [FOUR], [AAAA]: "silence" })]);
  const startedAt = performance.now();

  assert.deepEqual(await resolve("api.acme.example"), ["192.0.2.1"]);
  assert.ok(performance.now() - startedAt < 30_000, "it waited for the silent one");
});

test("one family without records leaves the other", async (t) => {
  const resolve = dnsResolve(systemClock, 2_000, [await startNameServer(t, { [A]: [], [AAAA]: [SIX] })]);

  assert.deepEqual(await resolve("api.acme.example"), ["2001:db8::1"]);
});

for (const [what, answer] of [
  ["that does not exist", "no such name"],
  ["without an address", []],
  ["whose server is silent", "silence"],
] as const) {
  test(`a name ${what} is an error`, async (t) => {
    const resolve = dnsResolve(systemClock, 100, [await startNameServer(t, { [A]: answer, [AAAA]: answer })]);

    await assert.rejects(resolve("gone.example"));
    await assert.rejects(resolve("gone.example"));
  });
}
