import { findVerbs } from "../../src/admin/find-verbs.ts";
import type { Verb } from "../../src/admin/verb.ts";
import type { CommandForm } from "../../src/admin/cli/command.ts";
import { helpOn } from "../../src/admin/cli/help.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { settingOptions } from "../../src/composition/commands/setting-options.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

/** Every command, with the text of its own `--help`. */
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
    `Run commands as ${code("npx datarun COMMAND")} inside a checkout. ${code("--help")} prints the same text as this page.`,
    table(
      ["command", "what it does"],
      [
        ...lasting.map(({ name, command }) => [
          `[${code(name)}](#${name.replaceAll(" ", "-")})`,
          `${command.summary}.`,
        ]),
        ...verbs.map(({ name, verb }) => [`[${code(name)}](#${name.replaceAll(" ", "-")})`, `${verb.summary}.`]),
      ],
    ),
    "## Commands of one word",
    `${code("start")}, ${code("dev")}, ${code("simulate")} and ${code("mock")} run until they are stopped. Exit codes: 0 when stopped as requested, 1 when it could not start or continue, 2 when the command line or a setting was not understood, 130 when told to stop at once.`,
    ...lasting.flatMap(({ name, command }) => [
      `### ${name}`,
      command.input === settingOptions
        ? `${command.summary}. Its options are the [settings](configuration.md): ${code(`datarun ${name} ${command.example}`)}.`
        : block("text", helpOn(name, withoutSettings(command))),
      takesSettings(command) ? "The [settings](configuration.md) are options of it too." : "",
    ]),
    `[Checks](checks.md) lists what ${code("check")} can find; its exit code is 1 if there is anything, and with ${code("--against-store")} 3 if only functions or sources differ. ${code("batch")} ends with its batch; [its guide](../guides/batch.md#exit-codes) has its exit codes. ${code("completion")} is tried with bash 5, zsh 5.9 and fish 3.6.`,
    `[Simulate vendors](../guides/simulate.md) shows how to use ${code("simulate")}.`,
    "## What all verbs have in common",
    [
      "- They can be used while the service runs, on the same store; a running service notices their changes within a second.",
      "- `workflow run`, `source run` and `function run` go through that service. If none runs on the data directory, each starts one for itself, and several take turns: a command waits for up to 30 seconds until the ledger is free.",
      "- `--data-dir` (or `DATARUN_DATA_DIR`) says where the embedded store is. With `DATABASE_URL` in the environment they work on that database.",
      "- With `--remote URL` (or `DATARUN_REMOTE`), before or after the command, a verb is run by the service whose admin port has this address, with the token in `DATARUN_OPERATOR_TOKEN`, and prints the same: see [Give colleagues access](../guides/operators.md).",
      "- Standard output has the result and nothing else; with `--json` it is exactly one JSON value. It is the same on a terminal, in a pipe and in a file. Characters that a terminal would obey are replaced, in JSON escaped; an export has them as they are, except on a terminal. Remarks go to standard error, at once.",
      "- Work that takes longer than a second shows on standard error how far it is: on a terminal as one line that is redrawn, otherwise as one line every ten seconds, and with `--json` not at all. Ctrl-C ends a command; one that changes things bit by bit then says what is done and how to go on.",
      "- Errors are red where standard error is a terminal. `NO_COLOR=1` turns colours off, `FORCE_COLOR=1` turns them on elsewhere.",
      '- Exit codes: 0 when done, 1 after a failure, 2 when the command line was not understood. With `--json` a failure is `{"error":{"code":"…","message":"…"}}`; the codes are `usage`, `invalid`, `not_found`, `refused`, `unavailable` and `internal`.',
      "- Exit code 1 is also used if the result is a failure: a case that failed (`source test`, `function test`), a run that failed (`source run`, `function run`), a credential that the vendor does not accept or cannot be asked about (`credential verify`), something sealed that cannot be opened (`keys verify`), or runs that are damaged or missing (`ledger verify`, `show`, `export`, `drain`). The result is still printed.",
      "- A verb that only reads creates nothing: if there is no store, it says so and exits with 1. `org create` creates one. Only the start of a service migrates a store to the schema of a new version.",
      "- A change of organizations, tokens, workflows, credentials, operators or data keys is recorded in the [audit trail](#audit-list) in the same transaction. Changes outside the store are recorded right afterwards (`keys rotate`, `ledger drain`); those that cannot be undone have one entry before anything is changed and one with the result (`keys remove-old`, `ledger prune`, `ledger reconcile`, `store backup`), so an entry without a second one says what may have been done. `store copy` is recorded in the database that it fills, and `store restore` in the store that it restores. Asking a vendor is recorded before it happens (`source test --live`, `source run`, `function run`). If the store is lost meanwhile, the answer is printed all the same, and a remark says what could not be recorded.",
    ].join("\n"),
    ...verbs.flatMap(({ name, verb }) => [
      `## ${name}`,
      block("text", helpOn(name, verb)),
      [verb.changes ? "" : "This command changes nothing.", placeOf(verb)].filter(Boolean).join(" "),
    ]),
  );
}

const OF_SETTINGS = new Set<unknown>(Object.values(settingOptions.properties));

/** Besides options of its own. */
function takesSettings({ input }: CommandForm): boolean {
  return input !== settingOptions && Object.values(input.properties).some((schema) => OF_SETTINGS.has(schema));
}

/** They have a page of their own. */
function withoutSettings(command: CommandForm): CommandForm {
  if (!takesSettings(command)) return command;
  const own = Object.entries(command.input.properties).filter(([, schema]) => !OF_SETTINGS.has(schema));
  return { ...command, input: { ...command.input, properties: Object.fromEntries(own) } as CommandForm["input"] };
}

/** Where the verb can be used besides a terminal on the machine. */
function placeOf({ role, terminalOnly }: Verb): string {
  if (terminalOnly === true) return "It works only in a terminal on the machine.";
  const without = (terminalOnly ?? []).map((input) => code(`--${input.replaceAll("_", "-")}`));
  const but = without.length === 0 ? "" : `, without ${without.join(", ")}`;
  return `Over the [admin API](admin-api.md)${but}, it takes the role ${role}.`;
}
