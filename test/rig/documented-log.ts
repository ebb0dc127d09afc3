import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const PAGE = readFileSync(new URL("../../docs/reference/log.md", import.meta.url), "utf8");
const LEVELS: Readonly<Record<string, number>> = { debug: 20, info: 30, warning: 40, error: 50 };
const ON_EVERY_LINE = new Set(["level", "time", "event", "message"]);

interface DocumentedEvent {
  readonly levels: readonly number[];
  readonly fields: readonly string[];
  /** Besides these, an author's own. */
  readonly isOpen: boolean;
}

/** The cells of each row of the table whose first column has this heading. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, table] = PAGE.split(`\n| ${heading} |`);
  const lines = table!.split("\n").slice(2);
  const rows = lines.slice(0, lines.indexOf("")).map((line) => line.split("|").slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim()));
}

function codesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

const RUN_FIELDS = rowsUnder("field of `run`").flatMap(([names]) => codesIn(names!));
const CALL_FIELDS = new Set(rowsUnder("field in `calls`").flatMap(([names]) => codesIn(names!)));

/** Every event of the reference's page on the log. */
export const DOCUMENTED_EVENTS: ReadonlyMap<string, DocumentedEvent> = new Map(
  rowsUnder("event").map(([event, levels, fields]) => {
    const [name] = codesIn(event!);
    return [
      name!,
      {
        levels: levels!.split(", ").map((level) => LEVELS[level]!),
        fields: name === "run" ? RUN_FIELDS : codesIn(fields!),
        isOpen: fields!.includes("what the author adds"),
      },
    ] as const;
  }),
);

/** What programs read from the log they can read about first. */
export function assertDocumented(line: Readonly<Record<string, unknown>>): void {
  const says = `docs/reference/log.md does not have this: ${JSON.stringify(line)}`;
  const event = DOCUMENTED_EVENTS.get(line["event"] as string);
  assert.ok(event !== undefined, says);
  assert.ok(event.levels.includes(line["level"] as number), `level: ${says}`);
  for (const field of Object.keys(line))
    assert.ok(event.isOpen || event.fields.includes(field) || ON_EVERY_LINE.has(field), `${field}: ${says}`);
  if (line["event"] !== "run") return;
  for (const call of line["calls"] as object[])
    for (const field of Object.keys(call)) assert.ok(CALL_FIELDS.has(field), `${field} in calls: ${says}`);
}
