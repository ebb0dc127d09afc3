import { request, type ClientRequest, type IncomingMessage } from "node:http";
import type { TestLife } from "../vendor/scripted-vendor.ts";

export interface ReadEvent {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
  readonly data: any;
}

export interface EventReader {
  readonly statusCode: number;
  readonly headers: IncomingMessage["headers"];
  /** What was answered in place of events. */
  text(): Promise<string>;
  /** The next event; `null` at the end of the stream. */
  next(): Promise<ReadEvent | null>;
  /** Goes away. */
  hangUp(): void;
}

export interface AskedEvents {
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Reads server-sent events as they come. */
export async function readEvents(t: TestLife, adminUrl: string, asked: AskedEvents): Promise<EventReader> {
  const { path, method = "GET", headers, body } = asked;
  const outgoing: ClientRequest = request(new URL(path, adminUrl), { method, headers, agent: false });
  t.after(() => outgoing.destroy());
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
  });
  outgoing.on("error", () => {});
  incoming.setEncoding("utf8");
  const chunks = (incoming as AsyncIterable<string>)[Symbol.asyncIterator]();
  let unread = "";
  async function next(): Promise<ReadEvent | null> {
    for (;;) {
      const end = unread.indexOf("\n\n");
      if (end === -1) {
        const chunk = await chunks.next().catch(() => ({ done: true, value: "" }));
        if (chunk.done === true) return null;
        unread += chunk.value;
        continue;
      }
      const lines = unread.slice(0, end).split("\n");
      unread = unread.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field("event");
      if (event !== undefined) return { event, data: JSON.parse(field("data")!) };
    }
  }
  return {
    statusCode: incoming.statusCode!,
    headers: incoming.headers,
    async text() {
      let text = "";
      for await (const chunk of incoming) text += chunk;
      return text;
    },
    next,
    hangUp: () => outgoing.destroy(),
  };
}
