export interface ReadEvent {
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

/** Takes server-sent events, each with a name and its data on one line, out of the pieces of text in which they come. */
export function createEventReader(): (piece: string) => readonly ReadEvent[] {
  let unread = "";
  return (piece) => {
    const blocks = (unread + piece).split("\n\n");
    unread = blocks.pop()!;
    return blocks.flatMap((block) => {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  };
}
