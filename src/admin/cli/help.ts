import type { VerbSet } from "../find-verbs.ts";
import type { CommandForm, LastingCommands } from "./command.ts";
import { type Option, shapeOf } from "./options.ts";

const COLUMNS = 96;

/** The options of a command with more than this many are listed below its usage line only. */
const OPTIONS_IN_USAGE_MAX = 20;

export async function helpOnAll(verbs: VerbSet, lasting: LastingCommands): Promise<string> {
  const running = await Promise.all(
    Object.entries(lasting).map(async ([name, load]) => [name, (await load()).default.summary] as const),
  );
  const listed = await Promise.all(
    verbs.names.map(async (name) => ({ name, summary: (await verbs.load(name)).summary })),
  );
  const nouns = Object.values(Object.groupBy(listed, ({ name }) => name.split(" ")[0]!));
  return [
    "datarun: one request asks many data vendors at once and returns one honest result per vendor.",
    "Usage: datarun COMMAND [OPTIONS]",
    columns(running),
    ...nouns.map((group) => columns((group ?? []).map(({ name, summary }) => [name, summary]))),
    "Exit codes: 0 done, 1 failed (also if the result is a failure), 2 usage error.",
    '"datarun --version" prints the installed version. "datarun COMMAND --help" explains a command. Those below the first block take --json, --data-dir, --project and, if a service can run them, --remote, and can be used while the service runs. --no-OPTION turns off an option that takes no value, such as --no-auto-credentials.',
  ]
    .map((block) => (block.startsWith("  ") ? block : wrap(block, "")))
    .join("\n\n")
    .concat("\n");
}

export async function helpOnNoun(noun: string, verbs: VerbSet): Promise<string> {
  const names = verbs.names.filter((name) => name.startsWith(`${noun} `));
  const rows = await Promise.all(names.map(async (name) => [name, (await verbs.load(name)).summary] as const));
  return `Usage: datarun ${noun} COMMAND [OPTIONS]\n\n${columns(rows)}\n\n"datarun ${noun} COMMAND --help" explains a command.\n`;
}

export function helpOn(name: string, command: CommandForm): string {
  const { positional, options } = shapeOf(command);
  const blocks = [
    `${command.summary}.`,
    usageLine(name, command),
    ...(command.description === undefined ? [] : [wrap(command.description, "")]),
    columns([
      ...positional.map((option) => [option.placeholder, option.description] as const),
      ...options
        .filter(({ isHidden }) => isHidden !== true)
        .map((option) => [written(option), description(option)] as const),
    ]),
    `Example:\n  datarun ${name} ${command.example}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

export function usageLine(name: string, command: CommandForm): string {
  const { positional, options } = shapeOf(command);
  const values = positional.map(({ placeholder, required }) => (required ? placeholder : `[${placeholder}]`));
  if (options.length > OPTIONS_IN_USAGE_MAX) return ["Usage: datarun", name, ...values, "[OPTIONS]"].join(" ");
  const parts = [
    ...values,
    ...options
      .filter(({ property, name }) => property !== null && name !== "set-env" && name !== "stdin")
      .map(({ short: _, ...option }) => {
        const text = `${written(option)}${option.kind === "list" ? "…" : ""}`;
        return option.required ? text : `[${text}]`;
      }),
  ];
  return wrap(`Usage: datarun ${name} ${parts.join(" ")}`.trimEnd(), "    ");
}

function written({ name, placeholder, kind, short }: Option): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return kind === "switch" ? names : `${names} ${placeholder}`;
}

function description({ description, required, kind, values, placeholder }: Option): string {
  const more = [
    ...(required ? ["required"] : []),
    ...(kind === "list" ? ["may be repeated"] : []),
    ...(values === undefined || values.every((value) => placeholder.includes(value))
      ? []
      : [`one of ${values.join(", ")}`]),
  ];
  return more.length === 0 ? description : `${description} (${more.join("; ")})`;
}

/** A longer name stands on a line of its own, so that it does not narrow all descriptions. */
const LEFT_MAX = 44;

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= LEFT_MAX));
  const indent = " ".repeat(width + 4);
  return rows
    .map(([left, right]) => {
      const beside = left.length <= width ? `${left.padEnd(width)}  ` : `${left}\n${indent}`;
      return `  ${beside}${wrap(right, indent, indent.length)}`;
    })
    .join("\n");
}

/** Breaks lines at spaces and indents every line but the first. */
function wrap(text: string, indent: string, start = 0): string {
  let line = "";
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const columnsLeft = COLUMNS - (lines.length === 0 ? start : indent.length);
    if (line !== "" && line.length + 1 + word.length > columnsLeft) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}
