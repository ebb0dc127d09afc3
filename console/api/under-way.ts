/** Number of requests to the service without an answer. */
let underWay = 0;

/** A component sends the requests that follow from an answer within this many frames. */
const FRAMES = 4;

/** Counts a request until it is answered. */
export async function counted<Answer>(asked: Promise<Answer>): Promise<Answer> {
  underWay += 1;
  try {
    return await asked;
  } finally {
    underWay -= 1;
  }
}

/** Calls `then` when no request is pending and the layout of the page is final. */
export function whenQuiet(signal: AbortSignal, then: () => void): void {
  let quiet = 0;
  const look = () => {
    if (signal.aborted) return;
    quiet = underWay === 0 ? quiet + 1 : 0;
    if (quiet > FRAMES) then();
    else requestAnimationFrame(look);
  };
  look();
}
