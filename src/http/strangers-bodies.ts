import { isIPv6, type Socket } from "node:net";
import { Fault } from "../terms/fault.ts";

/**
 * Bodies of callers that are not authenticated yet. Together they have a small share of the memory budget. When it is used
 * up, the client address that has sent the most loses the largest of its bodies in progress. So nobody displaces a body
 * smaller than their own, however slowly it arrives, or a body of an address that has sent less.
 */
export class StrangersBodies {
  readonly #coming = new Set<Stranger>();
  readonly #bytesOf = new Map<string, number>();

  /** The sender of the next body. `end` it when the caller is authenticated or rejected. */
  open(socket: Socket): Stranger {
    return new Stranger(this, clientAddress(socket));
  }

  begin(stranger: Stranger): void {
    this.#coming.add(stranger);
  }

  end(stranger: Stranger): void {
    this.#coming.delete(stranger);
  }

  count(address: string, bytes: number): void {
    const left = (this.#bytesOf.get(address) ?? 0) + bytes;
    if (left > 0) this.#bytesOf.set(address, left);
    else this.#bytesOf.delete(address);
  }

  /** The body to refuse first, among those in progress and this one. */
  first(asking: Stranger): Stranger {
    let most = asking;
    for (const stranger of this.#coming) if (this.#isMore(stranger, most)) most = stranger;
    return most;
  }

  #isMore(a: Stranger, b: Stranger): boolean {
    const [ofA, ofB] = [this.#bytesOf.get(a.address) ?? 0, this.#bytesOf.get(b.address) ?? 0];
    return ofA === ofB ? a.bytes > b.bytes : ofA > ofB;
  }
}

/** One body of a caller that is not authenticated yet. */
export class Stranger {
  readonly address: string;
  readonly #bodies: StrangersBodies;
  #bytes = 0;
  #giveUp: (fault: Fault) => void = () => {};

  constructor(bodies: StrangersBodies, address: string) {
    this.#bodies = bodies;
    this.address = address;
  }

  /** How much has arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param giveUp reads it no further, and holds no more what it held */
  begin(giveUp: (fault: Fault) => void): void {
    this.#giveUp = giveUp;
    this.#bodies.begin(this);
  }

  came(bytes: number): void {
    this.#bytes += bytes;
    this.#bodies.count(this.address, bytes);
  }

  /** There is no room for it: one of the others that has more is ended. False: none has, and it has to go itself. */
  makeWay(): boolean {
    const most = this.#bodies.first(this);
    if (most === this) return false;
    most.end();
    most.#giveUp(new Fault("request.overloaded"));
    return true;
  }

  /** It has arrived completely: it is not refused any more, and counts for its address until it has ended. */
  whole(): void {
    this.#bodies.end(this);
  }

  end(): void {
    this.#bodies.end(this);
    this.#bodies.count(this.address, -this.#bytes);
    this.#bytes = 0;
  }
}

/** Where a client is, as far as one client cannot choose it: of IPv6 the network, in which it has any address it likes. */
export function clientAddress({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = (part: string) => part.split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups(head).length - groups(tail).length);
  return [...groups(head), ...Array.from({ length: zeros }, () => "0"), ...groups(tail ?? "")].slice(0, 4).join(":");
}
