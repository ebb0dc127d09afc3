/** How many questions to the service have no answer yet. */
let underWay = 0;

/** What one answer makes a page ask next, it asks within so many frames. */
const FRAMES = 4;

/** Counts a question until its answer is there. */
export async function counted<Answer>(asked: Promise<Answer>): Promise<Answer> {
  underWay += 1;
  try {
    return await asked;
  } finally {
    underWay -= 1;
  }
}

/** Calls once the page has everything that it asks for, and stands with it. */
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
