import { StringDecoder } from "node:string_decoder";

export interface RemoteEvent {
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

/**
 * Takes server-sent events out of the pieces in which they arrive, as the admin API writes them: one `event` and one
 * `data` each. Everything else, such as a comment that keeps a connection open, is passed over.
 */
export function createEventReader(): (piece: Buffer) => readonly RemoteEvent[] {
  const decoder = new StringDecoder("utf8");
  let unread = "";
  return (piece) => {
    const text = decoder.write(piece);
    unread += text;
    // JSON has no line breaks, so that a large result, which comes in thousands of pieces, is not searched for each.
    if (!text.includes("\n")) return [];
    const end = unread.lastIndexOf("\n\n");
    if (end === -1) return [];
    const blocks = unread.slice(0, end).split("\n\n");
    unread = unread.slice(end + 2);
    return blocks.flatMap((block) => {
      const event = fieldOf(block, "event");
      const data = fieldOf(block, "data");
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  };
}

function fieldOf(block: string, name: string): string | undefined {
  return block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2); // prettier-ignore
}
