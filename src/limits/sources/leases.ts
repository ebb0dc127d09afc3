import type { Leases } from "../../run/middleware/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { LeaseExchange } from "../lease-exchange.ts";
import { grantUnits } from "./grant-units.ts";
import type { LeaseAnswer, LeaseAsk, LeaseStore } from "./ports.ts";
import { SourceLimit } from "./source-limit.ts";

export interface LeasesParts {
  readonly store: LeaseStore;
  readonly clock: Clock;
  /** Names this process, also after a restart on the same data directory. Called when the name is needed. */
  readonly process: () => string;
  /** Names this start of the process. Later starts have greater names. */
  readonly start: string;
}

export interface OpenLeases {
  readonly leaseOf: Leases;
  /** Returns unused units to the store. Waits for the store, but not for long. */
  close(): Promise<void>;
}

/** The leases of this process on limits of sources. */
export function openLeases({ store, clock, process, start }: LeasesParts): OpenLeases {
  let made = 0;
  const exchange = new LeaseExchange<LeaseAsk, LeaseAnswer, SourceLimit>({
    clock,
    process,
    recover: (name) => store.freeUnits(name, start),
    send: (asks) => store.exchange(asks, grantUnits),
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
