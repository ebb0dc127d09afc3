import { writeFile } from "node:fs/promises";
import { write } from "../../../admin/cli/command-io.ts";
import { cannotWrite } from "../../../terms/platform/file-problem.ts";
import { reportFailure } from "../../../admin/cli/report-failure.ts";
import { renderReportHtml } from "../../../batch/report/render-html.ts";
import { renderReportText } from "../../../batch/report/render-text.ts";
import { reportFiles } from "../../../batch/report/report-files.ts";
import { printableJson } from "../../../terms/text/printable.ts";

interface ReportInput {
  readonly out: readonly string[];
  readonly agree?: readonly string[];
  readonly coverage?: number;
  readonly html?: string;
  readonly json?: boolean;
}

/** Prints the report of the outputs, and returns the exit code. */
export async function printReport({ out, agree = [], coverage, html, json = false }: ReportInput): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  try {
    // Loads the catalog, which most reports do not need.
    const openNames = async () => (await import("./open-names.ts")).openNames();
    const report = await reportFiles({ outs: out, agree, coverage, openNames });
    if (html !== undefined)
      await writeFile(html, renderReportHtml(report), { flag: "wx", mode: 0o600 }).catch(
        (error: NodeJS.ErrnoException) => {
          throw cannotWrite("created", error, html);
        },
      );
    await write(stdout, json ? `${printableJson(report)}\n` : renderReportText(report));
    return 0;
  } catch (error) {
    return reportFailure(error, { stdin, stdout, stderr, env }, json);
  }
}
