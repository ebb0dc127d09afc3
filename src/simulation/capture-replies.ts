import type { VendorClient } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import { httpOf } from "./redirect-to-simulator.ts";

/** An outbound client that reports every reply that a source receives. */
export function captureReplies(door: VendorClient, seen: (reply: Reply) => void): VendorClient {
  return {
    httpFor(source, call) {
      const http = door.httpFor(source, call);
      return httpOf(async (method, url, options) => {
        const reply = await http.request(method, url, options);
        // Reserves memory for the bytes now; after the end of the call no memory can be reserved.
        reply.bytes();
        seen(reply);
        return reply;
      });
    },
  };
}
