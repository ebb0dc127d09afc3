import type { PlannedCall, RunnableSource } from "../run/ports.ts";

/** A vendor's answer that nobody sent. */
export interface PlayedReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Who answers in a vendor's place. */
export interface VendorPlayer {
  /** What answers the requests of one call, one after the other. @throws Fault where the vendor would not answer */
  playFor(source: RunnableSource, call: PlannedCall): () => Promise<PlayedReply>;
}
