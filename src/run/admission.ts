import { FairShare } from "../terms/fair-share.ts";
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
  const places = new FairShare(limits.runsMax, () => limits.runsPerOrganizationMax);
  const simulatedPlaces = new Map<string, number>();
  let stopping = false;
  let whenIdle: (() => void) | undefined;

  function giveSimulated(organizationId: string): void {
    const left = (simulatedPlaces.get(organizationId) ?? 0) - 1;
    if (left > 0) simulatedPlaces.set(organizationId, left);
    else simulatedPlaces.delete(organizationId);
  }

  return {
    get running(): number {
      return places.inUse;
    },

    /** @throws Fault `request.overloaded` or `request.stopping` */
    enter(organizationId: string, simulated: boolean): void {
      if (stopping) throw new Fault("request.stopping");
      const asSimulated = simulated ? (simulatedPlaces.get(organizationId) ?? 0) + 1 : 0;
      const leavesAsMany = places.of(organizationId) === 0 || places.fits(organizationId, 1 + asSimulated);
      if (!leavesAsMany || !places.take(organizationId)) throw new Fault("request.overloaded");
      if (simulated) simulatedPlaces.set(organizationId, asSimulated);
    },

    leave(organizationId: string, simulated: boolean): void {
      places.give(organizationId);
      if (simulated) giveSimulated(organizationId);
      if (places.inUse === 0) whenIdle?.();
    },

    /** Refuses new runs. Resolves when the last run has ended. */
    stop(): Promise<void> {
      stopping = true;
      return new Promise((resolve) => {
        if (places.inUse === 0) resolve();
        else whenIdle = resolve;
      });
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
