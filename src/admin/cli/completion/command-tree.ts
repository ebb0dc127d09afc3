import type { CommandForm, KnownCommands } from "../command.ts";
import { type Option, shapeOf } from "../options.ts";

/** A node of the tree of commands: the words typed so far, and the words and options that may follow. */
export interface CommandNode {
  /** `credential price`; empty for the root. */
  readonly words: string;
  /** The words that may follow, with a summary if there is one. */
  readonly next: readonly Suggestion[];
  readonly options: readonly CompletedOption[];
}

export interface Suggestion {
  readonly word: string;
  readonly says: string;
}

export interface CompletedOption extends Suggestion {
  /** The option's value: none, one of a list, a folder, a file, or anything. */
  readonly takes: "nothing" | "folder" | "file" | "anything" | readonly string[];
}

/** Every node of the tree, from the declarations of all commands. */
export async function readCommandTree({ verbs, lasting }: KnownCommands): Promise<readonly CommandNode[]> {
  const commands = new Map<string, CommandForm>();
  for (const [name, load] of Object.entries(lasting)) commands.set(name, (await load()).default);
  for (const name of verbs.names) commands.set(name, await verbs.load(name));
  const places = new Set([""]);
  for (const name of commands.keys()) {
    const words = name.split(" ");
    for (let length = 1; length <= words.length; length += 1) places.add(words.slice(0, length).join(" "));
  }
  return [...places].sort().map((words) => nodeOf(words, places, commands));
}

function nodeOf(words: string, places: ReadonlySet<string>, commands: ReadonlyMap<string, CommandForm>): CommandNode {
  const command = commands.get(words);
  const shape = command === undefined ? null : shapeOf(command);
  const below = [...places].filter((place) => place !== "" && place.split(" ").slice(0, -1).join(" ") === words);
  const leadOn = below.sort().map((place) => {
    return { word: place.split(" ").at(-1)!, says: commands.get(place)?.summary ?? `Commands about ${place}` };
  });
  const values = (shape?.positional ?? []).flatMap(({ values = [] }) => values.map((word) => ({ word, says: "" })));
  return {
    words,
    next: [...leadOn, ...values],
    options: (shape?.options ?? [])
      .filter(({ isHidden }) => isHidden !== true)
      .map((option) => ({
        word: `--${option.name}`,
        says: option.description,
        takes: takesOf(option),
      })),
  };
}

function takesOf({ kind, name, values, placeholder }: Option): CompletedOption["takes"] {
  if (kind === "switch") return "nothing";
  if (values !== undefined) return values;
  if (placeholder === "DIR" || name === "project" || name === "data-dir") return "folder";
  return placeholder === "FILE" || name.endsWith("-file") ? "file" : "anything";
}
