import { FairShare } from "../terms/concurrency/fair-share.ts";
import { Fault } from "../terms/fault.ts";

export interface AdmissionLimits {
  /** The most runs in progress in this process. */
  readonly runsMax: number;
  /** The most runs of one organization in progress in this process. */
  readonly runsPerOrganizationMax: number;
}

/**
 * Admits runs up to the limits and refuses the others at once, before any vendor is called, so a refusal is never billed.
 * Organizations share the slots fairly: neither one of them nor a few together can take the slots of the others. The
 * simulated runs of an organization leave as many slots to its real runs as they use themselves.
 */
export function createAdmission(limits: AdmissionLimits) {
  const slots = new FairShare(limits.runsMax, () => limits.runsPerOrganizationMax);
  const simulatedSlots = new Map<string, number>();
  let stopping = false;
  let whenIdle: (() => void) | undefined;

  function giveSimulated(organizationId: string): void {
    const remaining = (simulatedSlots.get(organizationId) ?? 0) - 1;
    if (remaining > 0) simulatedSlots.set(organizationId, remaining);
    else simulatedSlots.delete(organizationId);
  }

  return {
    get running(): number {
      return slots.inUse;
    },

    /** @throws Fault `request.overloaded` or `request.stopping` */
    enter(organizationId: string, simulated: boolean): void {
      if (stopping) throw new Fault("request.stopping");
      const asSimulated = simulated ? (simulatedSlots.get(organizationId) ?? 0) + 1 : 0;
      const hasCapacity = slots.of(organizationId) === 0 || slots.fits(organizationId, 1 + asSimulated);
      if (!hasCapacity || !slots.take(organizationId)) throw new Fault("request.overloaded");
      if (simulated) simulatedSlots.set(organizationId, asSimulated);
    },

    leave(organizationId: string, simulated: boolean): void {
      slots.give(organizationId);
      if (simulated) giveSimulated(organizationId);
      if (slots.inUse === 0) whenIdle?.();
    },

    /** Refuses new runs. Resolves when the last run has ended. */
    stop(): Promise<void> {
      stopping = true;
      return new Promise((resolve) => {
        if (slots.inUse === 0) resolve();
        else whenIdle = resolve;
      });
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
