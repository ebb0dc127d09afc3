import { Fault } from "../terms/fault.ts";

export interface AdmissionLimits {
  /** Runs under way at once in this process. */
  readonly runsMax: number;
  /** Runs of one organization under way at once in this process. */
  readonly runsPerOrganizationMax: number;
}

/**
 * Lets runs in up to the limits and refuses the rest at once, before any vendor is called: a refusal bills nobody. The
 * limit per organization keeps one of them from taking the others' share.
 */
export function createAdmission(limits: AdmissionLimits) {
  const perOrganization = new Map<string, number>();
  let running = 0;
  let stopping = false;
  let whenIdle: (() => void) | undefined;

  return {
    get running(): number {
      return running;
    },

    /** @throws Fault `request.overloaded` or `request.stopping` */
    enter(organizationId: string): void {
      if (stopping) throw new Fault("request.stopping");
      const ofOrganization = perOrganization.get(organizationId) ?? 0;
      if (running >= limits.runsMax || ofOrganization >= limits.runsPerOrganizationMax)
        throw new Fault("request.overloaded");
      running += 1;
      perOrganization.set(organizationId, ofOrganization + 1);
    },

    leave(organizationId: string): void {
      running -= 1;
      const left = (perOrganization.get(organizationId) ?? 1) - 1;
      if (left === 0) perOrganization.delete(organizationId);
      else perOrganization.set(organizationId, left);
      if (running === 0) whenIdle?.();
    },

    /** Refuses new runs from now on; resolves when none is under way. */
    stop(): Promise<void> {
      stopping = true;
      return new Promise((resolve) => {
        if (running === 0) resolve();
        else whenIdle = resolve;
      });
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
