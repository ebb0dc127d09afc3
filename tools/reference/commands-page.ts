import { findVerbs } from "../../src/admin/find-verbs.ts";
import { helpOnVerb } from "../../src/cli/help.ts";
import { COMMANDS } from "../../src/command-line.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

/** Every command, in the words of its own `--help`. */
export async function commandsPage(): Promise<Page> {
  const found = findVerbs();
  const verbs = await Promise.all(found.names.map(async (name) => ({ name, verb: await found.load(name) })));
  return page(
    "docs/reference/commands.md",
    generated("the verbs' declarations in src/admin/verbs"),
    "# Commands",
    `${code("npx datarun COMMAND")} inside a checkout; ${code("--help")} on any of them says what stands here.`,
    table(
      ["command", "does"],
      [
        ...COMMANDS.map(({ name, summary }) => [code(name), summary]),
        ...verbs.map(({ name, verb }) => [`[${code(name)}](#${name.replaceAll(" ", "-")})`, `${verb.summary}.`]),
      ],
    ),
    `The options of ${code("start")} and ${code("dev")} are the [settings](configuration.md); ${code("simulate --help")} says its own, and [the guide](../guides/simulate.md) what it is for.`,
    "## What all verbs have in common",
    [
      "- They work while the service runs, on the same store; a running service notices what they change within a second.",
      "- `--data-dir` (or `DATARUN_DATA_DIR`) says where the embedded store lies. With `DATABASE_URL` in the environment they work on that database.",
      "- Standard output carries the result and nothing else; with `--json` it is exactly one JSON value. Remarks go to standard error.",
      '- Exit code 0: done. 1: failed. 2: the command line was not understood. With `--json` a failure is `{"error":{"code":"…","message":"…"}}`; the codes are `usage`, `invalid`, `not_found`, `refused`, `unavailable` and `internal`.',
      "- Every change is written to the [audit trail](#audit-list) in the same transaction.",
    ].join("\n"),
    ...verbs.flatMap(({ name, verb }) => [
      `## ${name}`,
      block("text", helpOnVerb(name, verb)),
      verb.changes ? "" : "Changes nothing.",
    ]),
  );
}
