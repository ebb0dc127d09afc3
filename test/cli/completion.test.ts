import assert from "node:assert/strict";
import { test } from "node:test";
import { command } from "../start/operator-verb.ts";
import { SHELLS } from "../../src/admin/cli/completion/shells.ts";
import { has, suggestions } from "./shells.ts";

/** What stands on the command line after `datarun`, the last word unfinished, and all that may be meant by it. */
const LINES: readonly (readonly [line: readonly string[], meant: readonly string[]])[] = [
  [["c"], ["catalog", "check", "client", "completion", "credential"]],
  [
    ["credential", "d"],
    ["delete", "disable"],
  ],
  [["credential", "price", "s"], ["set"]],
  [["ledger", "export", "--fo"], ["--format"]],
  [
    ["ledger", "export", "--format", ""],
    ["csv", "jsonl", "parquet"],
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
