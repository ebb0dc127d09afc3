import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import { after, body, head, json, type Behaviour } from "../vendor/behaviours.ts";

const MIB = 1024 * 1024;
const CHUNKED = head(200, { "content-type": "application/json", "transfer-encoding": "chunked" });

/** Below the cap of a reply by a little. */
const LARGE = body(JSON.stringify({ text: "x".repeat(1.9 * MIB) }), {
  headers: { "content-type": "application/json" },
});

/** What hostile vendors answer, by path. All of it is within the limits of a reply as its body is counted. */
export const HOSTILE_PATHS: Readonly<Record<string, Behaviour>> = {
  "/ok": json({ name: "Ada" }),
  "/slow": after(2_000, json({ name: "Ada" })),
  "/large": LARGE,
  "/late": after(3_000, json({ name: "Ada" })),
  "/crumbs": crumbs("1\r\nx\r\n", 1_000_000),
  "/padded-crumbs": crumbs(`1;${"x".repeat(60_000)}\r\nx\r\n`, 1_000),
  "/many-nodes": body(gzipSync(`{"items":[${"{},".repeat(3_400_000)}{}]}`), {
    headers: { "content-encoding": "gzip" },
  }),
  "/cdata": body(`<a>${"<![CDATA[".repeat(100_000)}</a>`, { headers: { "content-type": "text/xml" } }),
  "/many-elements": body(`<a>${"<b/>".repeat(500_000)}</a>`, { headers: { "content-type": "text/xml" } }),
};

/** The same few bytes so many times, as fast as they are taken. */
function crumbs(crumb: string, count: number): Behaviour {
  const perWrite = Math.max(1, Math.floor(65_536 / crumb.length));
  const piece = Buffer.from(crumb.repeat(perWrite));
  return (socket: Socket) => {
    let left = Math.ceil(count / perWrite);
    const more = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= 1;
        if (!socket.write(piece)) return;
      }
      socket.off("drain", more);
      if (!socket.destroyed) socket.write("0\r\n\r\n");
    };
    socket.on("drain", more);
    socket.write(CHUNKED);
    more();
  };
}
