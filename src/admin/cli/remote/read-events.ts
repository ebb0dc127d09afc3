export interface RemoteEvent {
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

const FIRST_BYTES = 4_096;
const END_OF_EVENT = "\n\n";

/**
 * Parses server-sent events from chunks, as the admin API writes them: one `event` and one `data` each. Other lines,
 * such as comments that keep a connection open, are skipped. Returns `null` if an event is larger than the limit.
 */
export function createEventReader(bytesMax: number): (piece: Buffer) => readonly RemoteEvent[] | null {
  let unread = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  return (piece) => {
    const before = length;
    length += piece.length;
    if (length > bytesMax) return null;
    if (length > unread.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      unread.copy(grown, 0, 0, before);
      unread = grown;
    }
    piece.copy(unread, before);
    // A large result comes in thousands of chunks, so the buffer is not searched after each.
    const from = Math.max(0, before - 1);
    const found = unread.subarray(from, length).lastIndexOf(END_OF_EVENT);
    if (found === -1) return [];
    const end = from + found;
    const blocks = unread.toString("utf8", 0, end).split(END_OF_EVENT);
    unread.copyWithin(0, end + END_OF_EVENT.length, length);
    length -= end + END_OF_EVENT.length;
    return blocks.flatMap((block) => {
      const event = fieldOf(block, "event");
      const data = fieldOf(block, "data");
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  };
}

function fieldOf(block: string, name: string): string | undefined {
  return block
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}
