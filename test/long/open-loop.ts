/** What became of one request. */
export interface Sample {
  readonly sentAt: number;
  readonly tookMs: number;
  readonly statusCode: number;
}

/** Sends at a steady rate, whether answers come or not. Resolves when every request has its answer. */
export async function openLoop(
  perSecond: number,
  forMs: number,
  ask: () => Promise<{ readonly statusCode: number }>,
): Promise<readonly Sample[]> {
  const startedAt = performance.now();
  const samples: Promise<Sample>[] = [];
  while (performance.now() - startedAt < forMs) {
    const due = ((performance.now() - startedAt) * perSecond) / 1_000;
    while (samples.length < due) samples.push(sample(ask));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Promise.all(samples);
}

async function sample(ask: () => Promise<{ readonly statusCode: number }>): Promise<Sample> {
  const sentAt = performance.now();
  const { statusCode } = await ask();
  return { sentAt, tookMs: performance.now() - sentAt, statusCode };
}

/** The time that this share of the samples kept to. */
export function percentile(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
