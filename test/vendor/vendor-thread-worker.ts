import type { TlsOptions } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import { type Behaviour, head } from "./behaviours.ts";
import { startVendor } from "./scripted-vendor.ts";

const { tls, counter } = workerData as { readonly tls?: TlsOptions; readonly counter: Int32Array };

/** Answers that name the path they were sent for. */
const surplus: Behaviour = (socket, { path }) => {
  const [kind, laterMs] = path.slice(1).split("/");
  const text = JSON.stringify({ path });
  const answer = head(200, { "content-length": String(text.length) }) + text;
  const sent = (): void => void Atomics.add(counter, 0, 1);
  // Else nothing more is sent before the answer is acknowledged, which the next request does.
  socket.setNoDelay(true);
  if (kind === "then-close") {
    socket.write(answer);
    setTimeout(() => socket.end(sent), Number(laterMs));
  } else if (laterMs === "0") {
    socket.write(answer + answer, sent);
  } else {
    socket.write(answer);
    setTimeout(() => socket.write(answer, sent), Number(laterMs));
  }
};

const vendor = await startVendor({ after: () => {} }, { otherwise: surplus, ...(tls === undefined ? {} : { tls }) });
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(vendor.origin);
