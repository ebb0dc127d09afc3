import type { VendorClient, PlannedCall, SimulatedReply, RunnableSource, SimulatedVendors } from "../run/ports.ts";
import type { HttpOptions } from "../sdk/http.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { isRedirect, isSuccess, VendorReply } from "./exchange/vendor-reply.ts";
import { DEFAULT_LIMITS, type OutboundLimits } from "./outbound-limits.ts";
import { createUrlCaches } from "./exchange/vendor-urls.ts";
import { requestMemoryBytes, type OutgoingRequest } from "./exchange/outgoing-request.ts";
import { type SendHttpRequest, SourceHttp } from "./source-http.ts";
import { contractFault, faultOfStatus } from "./exchange/vendor-fault.ts";

const NO_BYTES = Buffer.alloc(0);

export interface SimulatedClientParts {
  readonly clock: Clock;
  readonly vendors: SimulatedVendors;
  readonly limits?: Partial<OutboundLimits>;
}

/**
 * The HTTP client without a network, for simulated calls. It refuses every request, redirect and reply that the real
 * client would refuse, so a source that works in simulation also works with the real client. It shares no state with the
 * real client, and records nothing as sent.
 */
export function createSimulatedClient({ clock, vendors: player, limits: given }: SimulatedClientParts): VendorClient {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const urlCacheOf = createUrlCaches();

  function received(
    reply: SimulatedReply,
    source: RunnableSource,
    request: OutgoingRequest,
    options: HttpOptions,
    call: PlannedCall,
  ): VendorReply {
    const { status, headers, bytes } = reply;
    const isAnswer = isSuccess(status) || options.answers?.includes(status) === true;
    if (!isAnswer && !(request.redirectsLeft > 0 && isRedirect(status))) throw faultOfStatus(status);
    const bytesMax = Math.min(limits.decodedBytesMax, source.declaration.limits?.max_bytes ?? Infinity);
    const fits = bytes.length <= bytesMax;
    if (!fits && isSuccess(status)) throw contractFault("it is too large");
    if (fits && !call.reserveBytes(bytes.length)) throw new Fault("source.no_room_for_answer");
    return new VendorReply(status, headers, fits ? bytes : NO_BYTES, limits, null, (more) => call.reserveBytes(more));
  }

  return {
    httpFor(source: RunnableSource, call: PlannedCall) {
      let play: (() => Promise<SimulatedReply>) | undefined;
      const send: SendHttpRequest = async (request, options) => {
        const requestBytes = requestMemoryBytes(request);
        if (!call.reserveBytes(requestBytes)) throw new Fault("source.no_room");
        try {
          play ??= player.simulateCall(source, call);
          if (options.order === true) call.sendsOrder();
          return received(await play(), source, request, options, call);
        } finally {
          call.releaseBytes(requestBytes);
        }
      };
      const urls = urlCacheOf(source.declaration);
      return new SourceHttp({ clock, headerBytesMax: limits.headerBytesMax, urls, source, call, send });
    },
  };
}
