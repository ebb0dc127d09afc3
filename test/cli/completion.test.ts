import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { command } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";
import { SHELLS, type Shell } from "../../src/cli/completion/shells.ts";

/** What stands on the command line after `datarun`, the last word unfinished, and all that may be meant by it. */
const LINES: readonly (readonly [line: readonly string[], meant: readonly string[]])[] = [
  [["c"], ["check", "completion", "credential"]],
  [
    ["credential", "d"],
    ["delete", "disable"],
  ],
  [["credential", "price", "s"], ["set"]],
  [["ledger", "export", "--fo"], ["--format"]],
  [
    ["ledger", "export", "--format", ""],
    ["csv", "jsonl"],
  ],
  [["ledger", "export", "march.csv", "--fo"], ["--format"]],
  [["start", "--log-level", "w"], ["warn"]],
  [["start", "--catalog", ""], []],
  [["check", "--ignore", "journal."], ["journal.no_room"]],
  [["check", "--project", "pro"], ["project-1"]],
  [["completion", "f"], ["fish"]],
  [["org", "create", "--js"], ["--json"]],
  [["unknown", "x"], []],
];

const quoted = (text: string): string => `'${text}'`;

/** A program for the shell that says what it suggests for these words, one a line. */
const ASKS: Readonly<Record<Shell, (script: string, line: readonly string[]) => readonly string[]>> = {
  bash: (script, line) => [
    "--norc",
    "-c",
    `source ${script}; COMP_WORDS=(datarun ${line.map(quoted).join(" ")}); COMP_CWORD=${line.length}; _datarun; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Outside of a line editor: what the script calls to suggest something prints it, as far as it begins alike.
  zsh: (script, line) => [
    "--no-rcs",
    "-c",
    `compdef() { : }
     say() { local each; for each in "$@"; do [[ $each == "$PREFIX"* ]] && print -r -- "$each"; done }
     compadd() { shift; say "$@" }
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

const has = (shell: Shell): boolean => spawnSync(shell, ["--version"]).status === 0;

function suggestions(t: TestContext, shell: Shell) {
  const folder = project(t, {});
  mkdirSync(join(folder, "project-1"));
  writeFileSync(join(folder, "project.txt"), "");
  const script = join(folder, "script");
  const printed = command({}, "completion", shell);
  assert.deepEqual([printed.code, printed.stderr], [0, ""]);
  writeFileSync(script, printed.stdout);
  return (line: readonly string[]): readonly string[] => {
    const { stdout, stderr } = spawnSync(shell, [...ASKS[shell](script, line)], { cwd: folder, encoding: "utf8" });
    assert.equal(stderr, "", shell);
    const words = stdout.split("\n").map((each) => each.split("\t")[0]!.replace(/\/$/, ""));
    return words.filter((word) => word !== "").sort();
  };
}

for (const shell of SHELLS) {
  test(`${shell} completes commands, options and values`, { skip: !has(shell) && `there is no ${shell} here` }, (t) => {
    const suggest = suggestions(t, shell);
    for (const [line, meant] of LINES) assert.deepEqual(suggest(line), meant, line.join(" "));
  });
}

test("bash completes a value after an equals sign, where it takes the word apart", (t) => {
  const suggest = suggestions(t, "bash");
  assert.deepEqual(suggest(["start", "--log-level", "=", "w"]), ["warn"]);
  assert.deepEqual(suggest(["start", "--log-level", "="]), ["debug", "error", "info", "warn"]);
});

test("an unknown shell is refused by the names of those there are", () => {
  const { code, stderr } = command({}, "completion", "tcsh");
  assert.equal(code, 2);
  assert.equal(stderr.split("\n")[0], "bash|zsh|fish must be bash, zsh or fish.");
});
