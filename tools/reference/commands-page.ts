import { findVerbs } from "../../src/admin/find-verbs.ts";
import { helpOn } from "../../src/cli/help.ts";
import { COMMANDS } from "../../src/commands/commands.ts";
import { settingOptions } from "../../src/commands/setting-options.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

/** Every command, in the words of its own `--help`. */
export async function commandsPage(): Promise<Page> {
  const found = findVerbs();
  const verbs = await Promise.all(found.names.map(async (name) => ({ name, verb: await found.load(name) })));
  const lasting = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => ({ name, command: (await load()).default })),
  );
  return page(
    "docs/reference/commands.md",
    generated("the verbs' declarations in src/admin/verbs"),
    "# Commands",
    `${code("npx datarun COMMAND")} inside a checkout; ${code("--help")} on any of them says what stands here.`,
    table(
      ["command", "does"],
      [
        ...lasting.map(({ name, command }) => [`[${code(name)}](#${name})`, `${command.summary}.`]),
        ...verbs.map(({ name, verb }) => [`[${code(name)}](#${name.replaceAll(" ", "-")})`, `${verb.summary}.`]),
      ],
    ),
    "## Commands that run until they are stopped",
    `Exit code 0: stopped when asked. 1: could not start or go on. 2: the command line or a setting was not understood. 130: told to stop at once.`,
    ...lasting.flatMap(({ name, command }) => [
      `### ${name}`,
      command.input === settingOptions
        ? `${command.summary}. Its options are the [settings](configuration.md): ${code(`datarun ${name} ${command.example}`)}.`
        : block("text", helpOn(name, command)),
    ]),
    `[The guide](../guides/simulate.md) says what ${code("simulate")} is for.`,
    "## What all verbs have in common",
    [
      "- They work while the service runs, on the same store; a running service notices what they change within a second.",
      "- `--data-dir` (or `DATARUN_DATA_DIR`) says where the embedded store lies. With `DATABASE_URL` in the environment they work on that database.",
      "- Standard output carries the result and nothing else; with `--json` it is exactly one JSON value. Remarks go to standard error.",
      '- Exit code 0: done. 1: failed. 2: the command line was not understood. With `--json` a failure is `{"error":{"code":"…","message":"…"}}`; the codes are `usage`, `invalid`, `not_found`, `refused`, `unavailable` and `internal`.',
      "- Exit code 1 is also for a result that is a failure: a case that failed (`source test`, `function test`), a run that failed (`source run`, `function run`), something sealed that cannot be opened (`keys verify`). The result is printed all the same.",
      "- A verb that looks makes nothing: where there is no store it says so and ends with 1. `org create` makes one; only the start of a service brings one to the schema of a new version.",
      "- A change of organizations, tokens, workflows, credentials and data keys is written to the [audit trail](#audit-list) in the same transaction. What happens elsewhere is written right after it: moving root keys (`keys rotate`, `keys remove-old`), and the ledger's own verbs (`reconcile`, `prune`, `drain`). Before it: asking a vendor (`source test --live`, `source run`, `function run`).",
    ].join("\n"),
    ...verbs.flatMap(({ name, verb }) => [
      `## ${name}`,
      block("text", helpOn(name, verb)),
      verb.changes ? "" : "Changes nothing.",
    ]),
  );
}
