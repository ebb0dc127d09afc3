import type { Connection } from "./connection.ts";

/** After these times it is looked whether it is still there. */
const LOOK_AFTER_MS = [0, 5, 50, 1_000];

/**
 * A client that has ended its half may be waiting for its answer, or may be gone: TCP tells the two apart only when
 * something is sent. So it is sent `100 Continue`, which any client of HTTP/1.1 passes over. One that is gone answers with
 * a reset, which the next such line meets; its connection then closes as that of any client that hangs up.
 */
export function answerHalfClosed(connection: Connection): void {
  const turn = connection.current;
  if (turn === undefined || turn.request.httpVersionMinor === 0) return;
  const { response } = turn;
  const timers = LOOK_AFTER_MS.map((afterMs) =>
    setTimeout(() => {
      if (!response.headersSent && !response.destroyed) response.writeContinue();
    }, afterMs).unref(),
  );
  const stop = () => timers.forEach(clearTimeout);
  response.once("prefinish", stop).once("close", stop);
}
