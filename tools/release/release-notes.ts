/** The kinds of changes, in the order of a release's notes. */
const TITLES = {
  security: "Security",
  removed: "Removed",
  changed: "Changed",
  added: "Added",
  fixed: "Fixed",
} as const;

/**
 * The notes of a release in Markdown, below its heading, from the files of `changes/`.
 * @param fragments the texts of the files, each with its kind, a colon and a sentence in the first line
 * @throws Error when one has another form
 */
export function releaseNotes(fragments: readonly { readonly file: string; readonly text: string }[]): string {
  const entries = fragments.map(({ file, text }) => {
    const found = /^(\w+): (\S[^]*)$/.exec(text.trim());
    const kind = found?.[1] as keyof typeof TITLES | undefined;
    if (kind === undefined || !(kind in TITLES))
      throw new Error(`${file} does not begin with ${Object.keys(TITLES).join(", ")} and a colon.`);
    // The notes are one folder higher than the files.
    const body = found![2]!.replaceAll("](../", "](");
    return { kind, item: `- ${body.replaceAll(/\n(?=.)/g, "\n  ")}` };
  });
  return Object.entries(TITLES)
    .flatMap(([kind, title]) => {
      const items = entries.filter((entry) => entry.kind === kind).map(({ item }) => item);
      return items.length === 0 ? [] : [`### ${title}\n\n${items.join("\n")}\n`];
    })
    .join("\n");
}
