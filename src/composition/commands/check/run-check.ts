import { write } from "../../../admin/cli/command-io.ts";
import { reportFailure } from "../../../admin/cli/report-failure.ts";
import { asTyped } from "../../../admin/cli/typed-commands.ts";
import { folderRemark } from "../../../project/config-file.ts";
import { printableJson } from "../../../terms/text/printable.ts";
import { systemClock } from "../../../terms/time/clock.ts";
import { messageWithLocation } from "../reason-of.ts";
import { toSettingOptions } from "../setting-options.ts";
import { replaceExit } from "../replace-exit.ts";
import { checkDeployment } from "./check-deployment.ts";
import { systemDisk } from "./disk.ts";
import type { CheckCode } from "./findings.ts";
import { checkedJson, checkedText, exitCodeOf, toChecked } from "./show-report.ts";

interface CheckInput {
  readonly production?: boolean;
  readonly connect?: boolean;
  readonly against_store?: boolean;
  readonly json?: boolean;
  readonly ignore?: readonly CheckCode[];
}

/** Checks the deployment of this command line, prints the findings, and ends the process. */
export async function runCheck(
  {
    production = false,
    connect = false,
    against_store: againstStore = false,
    json = false,
    ignore = [],
    ...given
  }: CheckInput,
  program = () => "datarun",
) {
  const exit = replaceExit();
  const stray: string[] = [];
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (thrown) => stray.push(messageWithLocation(thrown)));
  const typed = (text: string) => asTyped(text, program);
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, typed };
  try {
    const settings = toSettingOptions(given);
    const report = await checkDeployment({
      given: settings,
      environment: process.env,
      current: process.cwd(),
      production,
      connect,
      againstStore,
      clock: systemClock,
      disk: systemDisk,
    });
    // Work that a loaded file has started may fail in a later tick.
    await new Promise(setImmediate);
    for (const each of stray)
      report.add("project.failed_afterwards", `work that a loaded file started has failed: ${each}`);
    const checked = toChecked(report, ignore);
    const remark =
      settings["project"] === undefined && report.facts["project"] === "none"
        ? folderRemark(undefined, process.cwd())
        : null;
    if (remark !== null && !json) await write(process.stderr, `${remark}\n`);
    await write(process.stdout, json ? `${printableJson(checkedJson(checked))}\n` : checkedText(checked, typed));
    // Handles that loaded files left open would keep the process alive.
    return exit(exitCodeOf(checked));
  } catch (error) {
    return exit(await reportFailure(error, io, json));
  }
}
