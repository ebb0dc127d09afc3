import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { command } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";
import type { Shell } from "../../src/admin/cli/completion/shells.ts";

const quoted = (text: string): string => `'${text}'`;

/** A program for the shell that says what it suggests for these words, one a line. */
const ASKS: Readonly<Record<Shell, (script: string, line: readonly string[]) => readonly string[]>> = {
  bash: (script, line) => [
    "--norc",
    "-c",
    `source ${script}; COMP_WORDS=(datarun ${line.map(quoted).join(" ")}); COMP_CWORD=${line.length}; COMP_LINE=${quoted(["datarun", ...line].join(" "))}; _datarun; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Outside of a line editor: what the script calls to suggest something prints it, as far as it begins alike.
  zsh: (script, line) => [
    "--no-rcs",
    "-c",
    `compdef() { : }
     say() { local each; for each in "$@"; do [[ $each == "$PREFIX"* ]] && print -r -- "$each"; done }
     compadd() { if [[ $1 == -- ]]; then shift; say "$@"; else print -rl -- "\${(@)\${(P)@[-1]}}"; fi }
     _describe() { local name="\${@[-1]}"; say "\${(@)\${(P)name}%%:*}" }
     _files() { say *(/N) }
     words=(datarun ${line.map(quoted).join(" ")}); CURRENT=${line.length + 1}; PREFIX=${quoted(line.at(-1)!)}
     source ${script}; _datarun`,
  ],
  fish: (script, line) => [
    "--no-config",
    "-c",
    `source ${script}; complete -C ${quoted(["datarun", ...line].join(" "))}`,
  ],
};

export const has = (shell: Shell): boolean => spawnSync(shell, ["--version"]).status === 0;

/** Words of a command line by what a shell suggests for the last of them, sorted. It is in a folder of its own. */
export type Suggest = (line: readonly string[], environment?: Readonly<Record<string, string>>) => readonly string[];

export function suggestions(t: TestContext, shell: Shell): Suggest & { readonly folder: string } {
  const folder = project(t, {});
  mkdirSync(join(folder, "project-1"));
  writeFileSync(join(folder, "project.txt"), "");
  const script = join(folder, "script");
  const printed = command({}, "completion", shell);
  assert.deepEqual([printed.code, printed.stderr], [0, ""]);
  writeFileSync(script, printed.stdout);
  const suggest: Suggest = (line, environment = {}) => {
    const env = { PATH: process.env["PATH"], HOME: folder, ...environment };
    const { stdout, stderr } = spawnSync(shell, [...ASKS[shell](script, line)], { cwd: folder, encoding: "utf8", env });
    assert.equal(stderr, "", shell);
    const words = stdout.split("\n").map((each) => each.split("\t")[0]!.replace(/\/$/, ""));
    return words.filter((word) => word !== "").sort();
  };
  return Object.assign(suggest, { folder });
}
