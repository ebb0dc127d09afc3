import type { Door, PlannedCall, PlayedReply, RunnableSource, VendorPlayer } from "../run/ports.ts";
import type { HttpOptions } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import { isRedirect, isSuccess } from "./exchange/reply-status.ts";
import { DEFAULT_LIMITS, type OutboundLimits } from "./limits.ts";
import { OriginRules } from "../terms/origins.ts";
import { VendorReply } from "./exchange/reply.ts";
import { SourceAddresses } from "./exchange/source-addresses.ts";
import { keptBytes, type OutgoingRequest } from "./exchange/outgoing-request.ts";
import { type Send, SourceHttp } from "./source-http.ts";
import { contractFault, faultOfStatus } from "./exchange/vendor-fault.ts";

const NO_BYTES = Buffer.alloc(0);

export interface PlayedDoorParts {
  readonly clock: Clock;
  readonly player: VendorPlayer;
  readonly limits?: Partial<OutboundLimits>;
}

/**
 * The HTTP client without a network, for simulated calls. It refuses every request, redirect and reply that the real
 * client would refuse, so a source that works in simulation also works with the real client. It shares no state with the
 * real client, and records nothing as sent.
 */
export function createPlayedDoor({ clock, player, limits: given }: PlayedDoorParts): Door {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const known = new WeakMap<SourceDeclaration, SourceAddresses>();

  function addressesOf(declaration: SourceDeclaration): SourceAddresses {
    let addresses = known.get(declaration);
    if (addresses === undefined) {
      addresses = new SourceAddresses(new OriginRules(declaration.origins ?? []));
      known.set(declaration, addresses);
    }
    return addresses;
  }

  function received(
    reply: PlayedReply,
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
    if (fits && !call.hold(bytes.length)) throw new Fault("source.no_room_for_answer");
    return new VendorReply(status, headers, fits ? bytes : NO_BYTES, limits, null, (more) => call.hold(more));
  }

  return {
    httpFor(source: RunnableSource, call: PlannedCall) {
      let play: (() => Promise<PlayedReply>) | undefined;
      const send: Send = async (request, options) => {
        const requestBytes = keptBytes(request);
        if (!call.hold(requestBytes)) throw new Fault("source.no_room");
        try {
          play ??= player.playFor(source, call);
          if (options.order === true) call.sendsOrder();
          return received(await play(), source, request, options, call);
        } finally {
          call.drop(requestBytes);
        }
      };
      const addresses = addressesOf(source.declaration);
      return new SourceHttp({ clock, headerBytesMax: limits.headerBytesMax, addresses, source, call, send });
    },
  };
}
