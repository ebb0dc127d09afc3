/** Number of requests to the service without an answer. */
let pendingCount = 0;

/** A component sends the requests that follow from an answer within this many frames. */
const FRAMES = 4;

/** Counts a request until it is answered. */
export async function trackPending<Answer>(request: Promise<Answer>): Promise<Answer> {
  pendingCount += 1;
  try {
    return await request;
  } finally {
    pendingCount -= 1;
  }
}

/** Calls `then` when no request is pending and the layout of the page is final. */
export function whenIdle(signal: AbortSignal, then: () => void): void {
  let idleFrames = 0;
  const check = () => {
    if (signal.aborted) return;
    idleFrames = pendingCount === 0 ? idleFrames + 1 : 0;
    if (idleFrames > FRAMES) then();
    else requestAnimationFrame(check);
  };
  check();
}
