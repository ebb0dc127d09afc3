import type { Door } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import { httpOf } from "./aimed-door.ts";

/** A door that shows every reply it hands to a source. */
export function captureReplies(door: Door, seen: (reply: Reply) => void): Door {
  return {
    httpFor(source, call) {
      const http = door.httpFor(source, call);
      return httpOf(async (method, url, options) => {
        const reply = await http.request(method, url, options);
        // Whoever looks at it later finds it counted: when its call has ended, no more can be held for it.
        reply.bytes();
        seen(reply);
        return reply;
      });
    },
  };
}
