import { write } from "../../../admin/cli/command-io.ts";
import { folderRemark } from "../../../project/config-file.ts";
import { systemClock } from "../../../terms/time/clock.ts";
import { type CommandOutcome, onStrayError, runToEnd } from "../command-process.ts";
import { messageWithLocation } from "../reason-of.ts";
import { toSettingOptions } from "../setting-options.ts";
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
export async function runCheck(input: CheckInput, program = () => "datarun"): Promise<never> {
  const { production = false, connect = false, against_store = false, json = false, ignore = [], ...given } = input;
  const stray: string[] = [];
  onStrayError((thrown) => stray.push(messageWithLocation(thrown)));
  const settings = toSettingOptions(given);
  return runToEnd(
    async ({ stderr, typed = String }): Promise<CommandOutcome> => {
      const report = await checkDeployment({
        given: settings,
        environment: process.env,
        current: process.cwd(),
        production,
        connect,
        againstStore: against_store,
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
      if (remark !== null && !json) await write(stderr, `${remark}\n`);
      return { result: checkedJson(checked), text: checkedText(checked, typed), code: exitCodeOf(checked) };
    },
    json,
    program,
  );
}
