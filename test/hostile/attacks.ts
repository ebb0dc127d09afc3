import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Access } from "../rig/deployed.ts";
import { LARGE_SOURCES, type Target, TEXT_SOURCES } from "./target.ts";

/** A piece of malice, bounded in what it sends and in time. It never rejects: what becomes of it is not its concern. */
export interface Attack {
  readonly name: string;
  carryOut(target: Target): Promise<void>;
}

const MIB = 1024 * 1024;

export const ATTACKS: readonly Attack[] = [
  // ---- callers whom nobody knows
  {
    name: "bodies in chunks of one byte, from nobody",
    carryOut: ({ service }) => together(8, () => sendCrumbs(service.url)),
  },
  {
    name: "bodies that are announced and never finished",
    carryOut: ({ service }) => together(400, () => sendUnfinished(service.url)),
  },
  {
    name: "connections that say nothing",
    carryOut: ({ service }) => together(300, () => talk(service.url, () => delay(3_000))),
  },

  {
    name: "metrics asked for a thousand times ahead, and not read",
    carryOut: ({ service }) =>
      together(60, () => sendAhead(service.adminUrl, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_500))),
  },
  {
    name: "a login in chunks of one byte",
    carryOut: ({ service }) => together(16, () => sendCrumbs(service.adminUrl, LOGIN)),
  },

  // ---- a caller with a token
  {
    name: "answers that are not read",
    carryOut: ({ service, a }) => together(100, () => sendAndNotRead(service.url, a, { acme__large: true })),
  },
  {
    name: "bodies full of tiny values",
    carryOut: ({ service, a }) => {
      const inputs = { all: Array.from({ length: 300_000 }, () => ({})) };
      const body = JSON.stringify({ config: { sources: { acme__quiet: true } }, inputs });
      return together(64, () => send(service.url, a, "/data", body));
    },
  },
  {
    name: "many unknown sources with long names",
    carryOut: async (target) => {
      const sources = Object.fromEntries(
        Array.from({ length: 100 }, (_, at) => [`${"x".repeat(124)}${at}`.slice(-128), true]),
      );
      for (let round = 0; round < 10; round += 1) await ask(target, 40, "/data", { config: { sources } });
    },
  },

  {
    name: "one text in the bodies of a hundred requests, whose vendors never answer",
    carryOut: (target) => {
      const sources = Object.fromEntries(Array.from({ length: TEXT_SOURCES }, (_, at) => [`acme__text_${at}`, true]));
      return ask(target, 8, "/data", { config: { sources }, inputs: { text: "x".repeat(1_000_000) } });
    },
  },

  // ---- vendors
  {
    name: "a vendor that answers in chunks of one byte",
    carryOut: (target) => runs(target, 10, { acme__crumbs: true }),
  },
  {
    name: "a vendor that pads its chunks",
    carryOut: (target) => runs(target, 10, { acme__padded_crumbs: true }),
  },
  {
    name: "a vendor whose few bytes become millions of values",
    carryOut: (target) => runs(target, 10, { acme__many_nodes: true }),
  },
  {
    name: "a vendor whose XML never closes what it opens",
    carryOut: (target) => runs(target, 10, { acme__cdata: true, acme__many_elements: true }),
  },
  {
    name: "a hundred large replies for one run, and a late one",
    carryOut: (target) => {
      const large = Array.from({ length: LARGE_SOURCES }, (_, at) => [`acme__large_${at}`, true]);
      return runs(target, 4, { ...Object.fromEntries(large), acme__late: true });
    },
  },

  // ---- functions
  { name: "functions that take all memory", carryOut: (target) => calls(target, 8, "dfunc_hog") },
  {
    name: "functions that all take their memory in one moment",
    carryOut: (target) => calls(target, 24, "dfunc_together"),
  },
  { name: "a contract that takes for ever to check", carryOut: (target) => calls(target, 4, "dfunc_pattern") },
  {
    name: "a contract that compares everything with everything",
    carryOut: (target) => calls(target, 4, "dfunc_unique"),
  },
  { name: "functions that gather large replies", carryOut: (target) => calls(target, 16, "dfunc_gathers") },
  { name: "functions that want random bytes without end", carryOut: (target) => calls(target, 16, "dfunc_random") },
];

function runs(target: Target, count: number, sources: object): Promise<void> {
  return ask(target, count, "/data", { config: { sources } });
}

function calls(target: Target, count: number, id: string): Promise<void> {
  return ask(target, count, "/func", { config: { data_func: id } });
}

async function ask({ service, a }: Target, count: number, path: "/data" | "/func", body: object): Promise<void> {
  const text = JSON.stringify(body);
  await together(count, () => send(service.url, a, path, text));
}

async function together(count: number, one: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.allSettled(Array.from({ length: count }, (_, at) => one(at)));
}

// ---- sockets of its own, so that what an attack does is limited by nothing but the service ---------------------------

const ENOUGH_MS = 30_000;

/** Connects, does it, and closes, at the latest after half a minute. */
async function talk(url: string, act: (socket: Socket) => Promise<unknown>): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const timer = setTimeout(() => socket.destroy(), ENOUGH_MS);
  try {
    await Promise.race([act(socket), closed]);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** A whole request, whose answer is read and thrown away. */
function send(url: string, as: Access, path: string, body: string): Promise<void> {
  return talk(url, async (socket) => {
    socket.resume();
    socket.write(`${headOf(path, as)}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    await new Promise((resolve) => socket.once("end", resolve));
  });
}

function sendAndNotRead(url: string, as: Access, sources: object): Promise<void> {
  const body = JSON.stringify({ config: { sources } });
  return talk(url, async (socket) => {
    socket.pause();
    socket.write(`${headOf("/data", as)}Content-Length: ${body.length}\r\n\r\n${body}`);
    await delay(6_000);
  });
}

/** Many requests in one packet, of which no answer is read. */
function sendAhead(url: string, text: string): Promise<void> {
  return talk(url, async (socket) => {
    socket.pause();
    socket.write(text);
    await delay(6_000);
  });
}

const RUN = "POST /data HTTP/1.1\r\nHost: x\r\n";
/** As a page of the console sends it, and anybody else. */
const LOGIN =
  "POST /api/session/code HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nDatarun-Console: 1\r\nContent-Type: application/json\r\n";

function sendCrumbs(url: string, head = RUN): Promise<void> {
  const piece = Buffer.from("1\r\nx\r\n".repeat(10_000));
  return talk(url, async (socket) => {
    socket.resume();
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    for (let at = 0; at < 100 && !socket.destroyed; at += 1) await written(socket, piece);
    await delay(1_000);
  });
}

function sendUnfinished(url: string): Promise<void> {
  return talk(url, async (socket) => {
    socket.resume();
    socket.write(`POST /data HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`);
    await written(socket, Buffer.alloc(MIB - 1, " "));
    await delay(4_000);
  });
}

/** Resolves when it can take more, or is gone. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

function headOf(path: string, as: Access): string {
  return [
    `POST ${path} HTTP/1.1`,
    "Host: test",
    "Content-Type: application/json",
    `X-Service-Access-Token: ${as.token}`,
    `X-Service-Workflow: ${as.workflow}`,
    "",
  ].join("\r\n");
}
