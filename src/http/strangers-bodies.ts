import { Fault } from "../terms/fault.ts";

/** The clients of one address, and how many bytes of them are held. */
interface Address {
  readonly name: string;
  bytes: number;
  bodies: number;
}

/**
 * Bodies of callers that are not authenticated yet. Together they have a small share of the memory budget. When it is used
 * up, the client address that has sent the most loses the largest of its bodies in progress. So nobody displaces a body
 * smaller than their own, however slowly it arrives, or a body of an address that has sent less.
 */
export class StrangersBodies {
  readonly #coming = new Set<Stranger>();
  readonly #addresses = new Map<string, Address>();

  /** The sender of the next body, at this address. `end` it when the caller is authenticated or rejected. */
  open(name: string): Stranger {
    const address = this.#addresses.get(name) ?? { name, bytes: 0, bodies: 0 };
    this.#addresses.set(name, address);
    address.bodies += 1;
    return new Stranger(this, address);
  }

  begin(stranger: Stranger): void {
    this.#coming.add(stranger);
  }

  /** It has arrived, or is read no further. */
  stop(stranger: Stranger): void {
    this.#coming.delete(stranger);
  }

  close({ address }: Stranger): void {
    address.bodies -= 1;
    if (address.bodies === 0) this.#addresses.delete(address.name);
  }

  /** The body to refuse first, among those in progress and this one. */
  first(asking: Stranger): Stranger {
    let most = asking;
    for (const stranger of this.#coming) if (isMore(stranger, most)) most = stranger;
    return most;
  }
}

function isMore(a: Stranger, b: Stranger): boolean {
  return a.address.bytes === b.address.bytes ? a.bytes > b.bytes : a.address.bytes > b.address.bytes;
}

function nothingLeft(): void {}

/** One body of a caller that is not authenticated yet. */
export class Stranger {
  readonly address: Address;
  readonly #bodies: StrangersBodies;
  #bytes = 0;
  #isEnded = false;
  #giveUp: (fault: Fault) => void = nothingLeft;

  constructor(bodies: StrangersBodies, address: Address) {
    this.#bodies = bodies;
    this.address = address;
  }

  /** How much has arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param giveUp stops reading the body, and releases its memory */
  begin(giveUp: (fault: Fault) => void): void {
    this.#giveUp = giveUp;
    this.#bodies.begin(this);
  }

  came(bytes: number): void {
    this.#bytes += bytes;
    this.address.bytes += bytes;
  }

  /** There is no memory for it: another body is refused that has more. False if none has, and it has to be refused itself. */
  makeWay(): boolean {
    const most = this.#bodies.first(this);
    if (most === this) return false;
    const giveUp = most.#giveUp;
    most.end();
    giveUp(new Fault("request.overloaded"));
    return true;
  }

  /** It has arrived completely: it is not refused any more, and counts for its address until it has ended. */
  whole(): void {
    this.#bodies.stop(this);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#bodies.stop(this);
    this.#bodies.close(this);
    this.address.bytes -= this.#bytes;
    this.#bytes = 0;
    this.#giveUp = nothingLeft;
  }
}
