import type { SecureContext } from "node:tls";
import type { Billing, VendorClient, PlannedCall, RunnableSource } from "../run/ports.ts";
import { listPrice, type Http, type HttpOptions, type ListedRequest } from "../sdk/http.ts";
import type { Clock } from "../terms/time/clock.ts";
import { FairShare } from "../terms/concurrency/fair-share.ts";
import { Fault } from "../terms/fault.ts";
import { newSpanId, writeTraceparent } from "../terms/trace.ts";
import { dnsResolve, type Resolve } from "./sockets/dns-resolve.ts";
import { type EgressProxy, readProxy } from "./sockets/egress-proxy.ts";
import { VendorExchange, type ExchangeNeeds } from "./exchange/exchange.ts";
import { HostsFile } from "./sockets/hosts-file.ts";
import { DEFAULT_LIMITS, type OutboundLimits } from "./outbound-limits.ts";
import { DECLARED, NameLookup } from "./sockets/name-lookup.ts";
import type { ConnectionNeeds } from "./sockets/vendor-connection.ts";
import { OriginPools } from "./sockets/origin-pools.ts";
import { OriginPool, SocketSlots } from "./sockets/origin-pool.ts";
import { type OriginMatch, OriginRules } from "../terms/http/origins.ts";
import { requestMemoryBytes, type OutgoingRequest } from "./exchange/outgoing-request.ts";
import type { VendorReply } from "./exchange/vendor-reply.ts";
import { ClientIdentityError, identityOf, Trust } from "./sockets/trust.ts";
import { createUrlCaches, type VendorUrl } from "./exchange/vendor-urls.ts";
import { SourceHttp } from "./source-http.ts";
import { SendBatcher } from "./sockets/send-batcher.ts";
import { type ConnectError, type Destination, tryConnection } from "./sockets/open-socket.ts";

export interface ClientOptions {
  readonly clock: Clock;
  readonly limits?: Partial<OutboundLimits>;
  /**
   * Exact origins whose host names may resolve to private addresses, such as `https://scores.corp.example`. A source
   * that declares an IP address or `localhost` exactly needs no entry, because the declaration itself is the destination.
   */
  readonly allowPrivate?: readonly string[];
  /** Exact origins whose requests carry the caller's trace id. No other origin gets it. */
  readonly traced?: readonly string[];
  /**
   * The egress proxy, `http://[user:password@]host:port`. All requests go through it, and it resolves the vendors'
   * names.
   */
  readonly proxy?: string | undefined;
  /** Reads that address again. Its user and password may change while the process runs. */
  readonly rereadProxy?: () => string | undefined;
  /** Certificate authorities to trust besides Node's, in PEM. */
  readonly extraAuthorities?: string | undefined;
  /** Resolves names in place of the name servers. */
  readonly resolve?: Resolve;
  /** Replaces `/etc/hosts`. */
  readonly hostsPath?: string;
}

export interface OutboundClient extends VendorClient {
  /** Closes every connection, after which nothing is sent. Call it after the last run has ended. */
  close(): void;
  stats(): OutboundStats;
  /**
   * Opens a connection to an exactly declared origin as a call does, and closes it without sending anything to the vendor.
   * Resolves to `null`, or to the reason of a failure, at the latest after the time within which a call has to connect.
   */
  tryOrigin(origin: string): Promise<ConnectError | null>;
}

export interface OutboundStats {
  readonly origins: readonly { readonly origin: string; readonly inFlight: number; readonly waiting: number }[];
}

/**
 * Creates the client through which all calls to vendors go. @throws Error if the proxy, an authority or an allowed origin
 * cannot be read
 */
export function createOutboundClient(options: ClientOptions): OutboundClient {
  return new HttpVendorClient(options);
}

class HttpVendorClient implements OutboundClient {
  readonly #clock: Clock;
  readonly #limits: OutboundLimits;
  readonly #private: OriginRules;
  readonly #traced: OriginRules;
  readonly #proxy: EgressProxy | null;
  readonly #trust: Trust;
  readonly #exchangeNeeds: ExchangeNeeds;
  readonly #connectionNeeds: ConnectionNeeds;
  readonly #urlCacheOf = createUrlCaches();
  readonly #pools: OriginPools;
  readonly #idleShare: FairShare;
  readonly #socketSlots: SocketSlots;
  #closed = false;

  constructor(options: ClientOptions) {
    const { clock } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = clock;
    this.#limits = limits;
    this.#private = new OriginRules(options.allowPrivate ?? []);
    this.#traced = new OriginRules(options.traced ?? []);
    this.#proxy = options.proxy === undefined ? null : readProxy(options.proxy, options.rereadProxy);
    this.#trust = new Trust(options.extraAuthorities);
    this.#pools = new OriginPools(limits.poolsMax);
    this.#idleShare = new FairShare(limits.idleMax);
    this.#socketSlots = new SocketSlots(limits.socketsMax);
    this.#exchangeNeeds = { clock, limits };
    this.#connectionNeeds = {
      clock,
      names: new NameLookup({
        clock,
        resolve: options.resolve ?? dnsResolve(clock, limits.lookupMaxMs),
        hosts: new HostsFile(clock, options.hostsPath),
        timeoutMs: limits.lookupMaxMs,
        cacheMs: limits.lookupCacheMs,
      }),
      proxy: this.#proxy,
      connectMaxMs: limits.connectMaxMs,
      sendBatcher: new SendBatcher(),
    };
  }

  httpFor(source: RunnableSource, call: PlannedCall): Http {
    return new SourceHttp({
      clock: this.#clock,
      headerBytesMax: this.#limits.headerBytesMax,
      urls: this.#urlCacheOf(source.declaration),
      source,
      call,
      send: (request, options) => this.#send(request, options, source, call),
    });
  }

  close(): void {
    this.#closed = true;
    this.#pools.close();
  }

  stats(): OutboundStats {
    return {
      origins: [...this.#pools.all()].map(({ origin, inFlight, waiting }) => ({ origin, inFlight, waiting })),
    };
  }

  tryOrigin(origin: string): Promise<ConnectError | null> {
    const url = new URL(origin);
    return tryConnection(
      this.#destinationOf(url, "exact", DECLARED, this.#trust.contextFor(undefined)),
      this.#connectionNeeds,
    );
  }

  async #send(
    request: OutgoingRequest,
    options: HttpOptions,
    source: RunnableSource,
    call: PlannedCall,
  ): Promise<VendorReply> {
    const { promise, resolve, reject } = Promise.withResolvers<VendorReply>();
    // Counted before it waits for anything, a budget or a connection, because it is kept meanwhile.
    const requestBytes = requestMemoryBytes(request);
    if (!call.reserveBytes(requestBytes)) throw new Fault("source.no_room");
    try {
      const { answers } = options;
      const billing = billingOf(source, options);
      const reserved = await call.reserve(billing, this.#clock);
      if (this.#closed) throw new Fault("source.stopped");
      const pool = this.#poolFor(request, call);
      const { decodedBytesMax, waitMaxMs } = this.#limits;
      const expects = {
        answers,
        billing,
        reserved,
        redirectsLeft: request.redirectsLeft,
        lenient: source.declaration.reply?.lenient === true,
        requestBytes,
        decodedBytesMax: Math.min(source.declaration.limits?.max_bytes ?? decodedBytesMax, decodedBytesMax),
        waitMaxMs: Math.min(waitMaxMs, source.timeoutMs / 10),
      };
      const traced = this.#withTrace(request, call);
      const proxied =
        this.#proxy !== null && request.url.protocol === "http:" ? throughProxy(traced, this.#proxy) : traced;
      pool.enter(new VendorExchange(proxied, call, pool, this.#exchangeNeeds, expects, resolve, reject));
    } catch (thrown) {
      call.releaseBytes(requestBytes);
      throw thrown;
    }
    return promise;
  }

  /**
   * Adds the trace id to a copy of the request. A redirect starts from the original, so it never passes the trace id on.
   */
  #withTrace(request: OutgoingRequest, { run }: PlannedCall): OutgoingRequest {
    const { trace } = run.intent;
    if (trace === null || this.#traced.match(request.url) !== "exact") return request;
    const isSet = request.fields.some((text, at) => at % 2 === 0 && text.toLowerCase() === "traceparent");
    if (isSet) return request;
    const spanId = newSpanId();
    return { ...request, spanId, fields: [...request.fields, "traceparent", writeTraceparent(trace, spanId)] };
  }

  /** Connections are shared by all sources that may use the origin in the same way. */
  #poolFor({ url, match, tls }: OutgoingRequest, call: PlannedCall): OriginPool {
    const { origin } = url;
    let key = this.#mayBePrivate(url, match) ? `${origin} private` : origin;
    if (tls !== undefined) key += ` ${identityOf(tls)}`;
    const { organizationId } = call.run.caller;
    const pool =
      this.#pools.get(key) ??
      this.#pools.add(
        key,
        organizationId,
        this.#openPool(url, match, match === "exact" ? DECLARED : organizationId, this.#secureContext(tls)),
      );
    pool.lastUsedAt = this.#clock.now();
    return pool;
  }

  #openPool(url: VendorUrl, match: OriginMatch, namedBy: string, secureContext: SecureContext | undefined): OriginPool {
    const destination = this.#destinationOf(url, match, namedBy, secureContext);
    return new OriginPool(
      url.origin,
      destination,
      this.#connectionNeeds,
      this.#limits,
      this.#idleShare,
      this.#socketSlots,
    );
  }

  #destinationOf(
    url: VendorUrl,
    match: OriginMatch,
    namedBy: string,
    secureContext: SecureContext | undefined,
  ): Destination {
    const secure = url.protocol === "https:";
    return {
      secure,
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      privateAllowed: this.#mayBePrivate(url, match),
      namedBy,
      secureContext,
      session: undefined,
    };
  }

  #mayBePrivate(url: VendorUrl, match: OriginMatch): boolean {
    return match === "exact" && (isLocalLiteral(url.hostname) || this.#private.match(url) === "exact");
  }

  #secureContext(tls: OutgoingRequest["tls"]): SecureContext | undefined {
    try {
      return this.#trust.contextFor(tls);
    } catch (error) {
      const problem =
        error instanceof ClientIdentityError
          ? error.message
          : "the client certificate or the certificate authority cannot be used";
      throw new Fault("source.credential_missing", { problem }, { cause: error });
    }
  }
}

/**
 * Whether the host is `localhost` or an IP address, so that its declaration itself is the destination. A pattern never
 * matches such a host.
 */
function isLocalLiteral(hostname: string): boolean {
  return hostname === "localhost" || hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
}

/** Plain HTTP through a proxy: the request line carries the absolute URL. */
function throughProxy(request: OutgoingRequest, proxy: EgressProxy): OutgoingRequest {
  const { authorization } = proxy;
  return {
    ...request,
    path: request.url.origin + request.path,
    fields: authorization === null ? request.fields : [...request.fields, "proxy-authorization", authorization],
  };
}

function billingOf({ charge, listPrice: ofSource }: RunnableSource, options: HttpOptions & ListedRequest): Billing {
  const { [listPrice]: ofRequest = ofSource } = options;
  return { free: options.free === true, model: charge, listPrice: ofRequest, isOrder: options.order === true };
}
