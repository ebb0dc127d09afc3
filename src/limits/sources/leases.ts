import type { Leases } from "../../run/middleware/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Exchange } from "../exchange.ts";
import { grantMore } from "./grant.ts";
import type { LeaseAnswer, LeaseAsk, LeaseStore } from "./ports.ts";
import { SourceLimit } from "./source-limit.ts";

export interface LeasesParts {
  readonly store: LeaseStore;
  readonly clock: Clock;
  /** Names this process, also after it has been restarted on the same data directory. Called when its name is needed. */
  readonly process: () => string;
  /** Names this start of it: later starts have greater names. */
  readonly start: string;
}

export interface OpenLeases {
  readonly leaseOf: Leases;
  /** Gives back what is not in use. Waits for the store, but not for long. */
  close(): Promise<void>;
}

/** What this process holds of the limits of sources. */
export function openLeases({ store, clock, process, start }: LeasesParts): OpenLeases {
  let made = 0;
  const exchange = new Exchange<LeaseAsk, LeaseAnswer, SourceLimit>({
    clock,
    process,
    recover: (name) => store.freeUnits(name, start),
    send: (asks) => store.exchange(asks, grantMore),
    onAnswered: notifyAll,
    onTime: notifyAll,
  });
  const look = (limit: SourceLimit): void => exchange.look(limit);

  return {
    leaseOf: (limit, owner) => {
      made += 1;
      return new SourceLimit(limit, `${start}/${made}`, owner, look);
    },
    async close() {
      await exchange.close();
      await exchange.end();
    },
  };
}

function notifyAll(limits: Iterable<SourceLimit>): void {
  for (const limit of limits) limit.notifyNews();
}
