import { FairShare } from "../terms/fair-share.ts";
import { Fault } from "../terms/fault.ts";

export interface AdmissionLimits {
  /** Runs under way at once in this process. */
  readonly runsMax: number;
  /** Runs of one organization under way at once in this process. */
  readonly runsPerOrganizationMax: number;
}

/**
 * Admits runs up to the limits and refuses the others at once, before any vendor is called, so a refusal is never
 * billed. Organizations share the places fairly, so that neither one of them nor a few together can take those of the
 * others.
 */
export function createAdmission(limits: AdmissionLimits) {
  const places = new FairShare(limits.runsMax, () => limits.runsPerOrganizationMax);
  let stopping = false;
  let whenIdle: (() => void) | undefined;

  return {
    get running(): number {
      return places.inUse;
    },

    /** @throws Fault `request.overloaded` or `request.stopping` */
    enter(organizationId: string): void {
      if (stopping) throw new Fault("request.stopping");
      if (!places.take(organizationId)) throw new Fault("request.overloaded");
    },

    leave(organizationId: string): void {
      places.give(organizationId);
      if (places.inUse === 0) whenIdle?.();
    },

    /** Refuses new runs from now on; resolves when the last run has ended. */
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
