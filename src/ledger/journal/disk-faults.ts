/**
 * For tests only: makes the next step of a kind fail, in the journal's thread or in the outcome log. It is in
 * production code because no test can make a disk fail in the middle of a commit in another thread. It uses shared
 * memory to reach that thread, and is `null` in every service.
 */
export const DISK_STEP = { commit: 0, sync: 1, reserve: 2, open: 3, recovery: 4, log: 5 } as const;
export const DISK_FAULT = { none: 0, ENOSPC: 1, EIO: 2, exit: 3, hang: 4 } as const;

export type DiskStep = keyof typeof DISK_STEP;
export type DiskFault = keyof typeof DISK_FAULT;

export function makeDiskFaults(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(DISK_STEP).length));
}

export function setDiskFault(faults: Int32Array, step: DiskStep, fault: DiskFault): void {
  Atomics.store(faults, DISK_STEP[step], DISK_FAULT[fault]);
  Atomics.notify(faults, DISK_STEP[step]);
}

/** Does nothing unless a test has requested a failure at this step. */
export function passDisk(faults: Int32Array | null, step: DiskStep): void {
  if (faults === null) return;
  const index = DISK_STEP[step];
  const fault = Atomics.load(faults, index);
  if (fault === DISK_FAULT.hang) Atomics.wait(faults, index, DISK_FAULT.hang);
  if (fault === DISK_FAULT.exit) process.exit(1);
  if (fault === DISK_FAULT.ENOSPC || fault === DISK_FAULT.EIO) {
    const code = fault === DISK_FAULT.ENOSPC ? "ENOSPC" : "EIO";
    throw Object.assign(new Error(`${code}: asked for by a test`), { code });
  }
}
