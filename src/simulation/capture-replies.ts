import type { Door } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import { httpOf } from "./aimed-door.ts";

/** An outbound client that reports every reply that it gives to a source. */
export function captureReplies(door: Door, seen: (reply: Reply) => void): Door {
  return {
    httpFor(source, call) {
      const http = door.httpFor(source, call);
      return httpOf(async (method, url, options) => {
        const reply = await http.request(method, url, options);
        // Its memory is reserved now, because none can be reserved for it after the call has ended.
        reply.bytes();
        seen(reply);
        return reply;
      });
    },
  };
}
