interface ReadEvent {
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

const END = "\n\n";

/**
 * Parses server-sent events with a name and one line of data from chunks of text. An event that spans many chunks is
 * scanned once.
 */
export function createEventReader(): (piece: string) => readonly ReadEvent[] {
  let unread: string[] = [];
  return (piece) => {
    if (piece === "") return [];
    const before = unread.at(-1)?.at(-1) ?? "";
    unread.push(piece);
    if (!(before + piece).includes(END)) return [];
    const blocks = unread.join("").split(END);
    unread = [blocks.pop()!].filter((rest) => rest !== "");
    return blocks.flatMap((block) => {
      // Only \n ends a line: JSON may contain other line separators.
      const [, event, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  };
}
