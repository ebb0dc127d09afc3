export interface ReadEvent {
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

const END = "\n\n";

/**
 * Takes server-sent events, each with a name and its data on one line, out of the pieces of text in which they come. An
 * event of many pieces is looked through once.
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
      // A line ends with \n alone: JSON may have the other ends of lines that there are.
      const [, event, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  };
}
