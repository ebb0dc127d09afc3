import { isIPv6, type Socket } from "node:net";
import { Fault } from "../terms/fault.ts";

/**
 * Bodies of callers who are not known yet, which have one small share of what may be held together. Where it is used up,
 * the client address that has sent the most makes way, by the largest of its bodies that are still coming: so strangers
 * displace no smaller body than their own, however slowly that one comes, and no body from a quieter place.
 */
export class StrangersBodies {
  readonly #coming = new Set<Stranger>();
  readonly #bytesOf = new Map<string, number>();

  /** Whoever sends the next body. `end` it when it is known who that is, or that it is nobody. */
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

  /** Of those that are coming, this one included, whoever is to go first. */
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

/** One body of somebody who is not known yet. */
export class Stranger {
  readonly address: string;
  readonly #bodies: StrangersBodies;
  #bytes = 0;
  #giveUp: (fault: Fault) => void = () => {};

  constructor(bodies: StrangersBodies, address: string) {
    this.#bodies = bodies;
    this.address = address;
  }

  /** As much as has come. */
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

  /** All of it has come: it makes way for nobody any more, and counts for its address until it has ended. */
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
