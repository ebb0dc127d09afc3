/** Rows as lines whose cells stand below each other. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))));
  return rows
    .map((row) =>
      row
        .map((text, column) => text + " ".repeat(widths[column]! - displayWidth(text)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

let graphemes: Intl.Segmenter | undefined;

/**
 * The number of terminal columns that a text takes: none for a combining mark, two for an emoji and for a Chinese,
 * Japanese or Korean letter. Terminals differ about rare emoji, so a table may be off by a column.
 */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // Creating the segmenter takes 10 ms, and few texts need it.
  graphemes ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOf(segment);
  return width;
}

/** Characters without a column of their own: combining marks, joiners and control characters. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;

function widthOf(grapheme: string): number {
  if (NOTHING.test(grapheme)) return 0;
  // Marks of half-width kana have a column of their own.
  const marks = grapheme.slice(1).match(/[\uff9e\uff9f]/g)?.length ?? 0;
  return (EMOJI.test(grapheme) || isWide(grapheme.codePointAt(0)!) ? 2 : 1) + marks;
}

/** Blocks whose characters are wide or full width in Unicode's East Asian Width. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return WIDE.some(([from, to]) => codePoint >= from && codePoint <= to);
}
