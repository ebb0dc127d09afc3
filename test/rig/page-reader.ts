import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";

/** A block of code of a page, and the text between the block before it and itself. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly before: string;
}

export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const parts = text.split(/^```(\w*)\n([\s\S]*?)^```$/m);
  const blocks: Block[] = [];
  for (let at = 0; at + 2 < parts.length; at += 3)
    blocks.push({ before: parts[at]!, language: parts[at + 1]!, text: parts[at + 2]! });
  return blocks;
}

/** The commands of a block, one a line; a line that ends with a backslash goes on. */
export function commandsOf({ text }: Block): string[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** A command line as a shell splits it: at blanks outside of quotes, with variables outside of single quotes. */
export function wordsOf(line: string, variables: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const filled = (text: string) => text.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? "");
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'|[^"']+/g,
      (part, double?: string, single?: string) => single ?? filled(double ?? part),
    ),
  );
}

/** What a command prints: its result alone, and with the remarks before it. A page may show either. */
export interface Printed {
  readonly result: string;
  readonly all: string;
}

/** Runs one command in this process's folder and environment. */
export async function type(words: readonly string[]): Promise<Printed> {
  const given = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const own = Object.fromEntries(words.slice(0, given).map((word) => word.split("=", 2) as [string, string]));
  const printed = { stdout: "", stderr: "" };
  const into = (name: keyof typeof printed) =>
    new Writable({
      write(chunk: Buffer, _, done) {
        printed[name] += chunk.toString();
        done();
      },
    });
  const io = {
    stdin: Readable.from([]),
    stdout: into("stdout"),
    stderr: into("stderr"),
    env: { ...process.env, ...own },
  };
  const cli = { verbs: findVerbs(), lasting: COMMANDS, open: openVerbs, version: async () => "v1" };
  await runCli(words.slice(given).slice(words[given] === "npx" ? 2 : 1), io, cli);
  return { result: printed.stdout, all: printed.stderr + printed.stdout };
}

/** Without what differs from run to run: ids, times, and how long something took. */
export function steady(printed: string): string {
  return printed
    .replaceAll(/\b(trx|org|wfl|tok|cred)_[0-9a-f]{32}\b/g, "$1_…")
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?(?= differs|$|\s|")/gm, (date) => (date.length > 10 ? "time" : date))
    .replaceAll(/\b\d+ ms\b/g, "… ms")
    .replaceAll(/("\w*_?ms":)\d+/g, "$1…")
    .trim();
}
