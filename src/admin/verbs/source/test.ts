import { Type } from "../../../terms/schema/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { renderDifference } from "../../../simulation/difference.ts";
import {
  countReports,
  renderReport,
  runCases,
  runNamedCase,
  type SourceReport,
} from "../../../simulation/run-cases.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { contextInput, credentialInput, organizationInput, sourceInput } from "../../shared-inputs.ts";
import { liveCallParts } from "../../authoring/ask-vendor.ts";
import { type LiveTest, renderLive, testLive } from "../../authoring/live-test.ts";
import type { AuthoringTools } from "../../authoring/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { requireSource } from "../../require.ts";
import { count, listOf, oneOf, orNull, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

interface Input extends LiveTest {
  readonly source?: string;
  readonly all?: boolean;
  readonly live?: boolean;
  readonly org?: string;
}

export default defineVerb({
  summary: "Run a source's cases, or call its vendor and show what differs",
  description:
    "Without an id the sources of the project are tested. Each case runs through the real engine against a simulated vendor on this machine, and so do the failures that every vendor can have. Nothing is billed. With --live the real vendor is called with the inputs that the source declares under `live`, or with those of a case. That can be billed, so it needs --accept-charge unless the source is declared free, and it is recorded in the audit trail before it is sent. --record writes the reply as a new case, with its values masked. `datarun prove` calls the vendors of all sources.",
  example: "companies_house__company_profile",
  input: {
    source: Type.Optional(sourceInput),
    all: Type.Optional(Type.Boolean({ description: "Every source of the catalog and of the project" })),
    live: Type.Optional(Type.Boolean({ description: "Call the real vendor, once" })),
    case: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          "Only the case with this name. With --live: the case whose inputs are sent; by default those that the source declares under `live`, or those of its first case with a record",
      }),
    ),
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "With --live: an input to send instead of the case's inputs",
      }),
    ),
    org: Type.Optional(organizationInput),
    credential: Type.Optional(credentialInput),
    context: Type.Optional(Type.Enum(contextInput.enum, { description: "With --live: the context; dev by default" })),
    accept_charge: Type.Optional(
      Type.Boolean({ description: "With --live: agree that the vendor may bill this call" }),
    ),
    record: Type.Optional(
      Type.Boolean({ description: "With --live: write the reply as a new case, with its values masked" }),
    ),
  },
  positional: ["source"],
  role: "operator",
  terminalOnly: ["all", "record"],
  changes: true,
  needs: ["sources", "authoring", "store", "finder"],

  result: Type.Union([
    Type.Object({
      passed: yesOrNo,
      sources: rowsOf({
        source: text,
        passed: yesOrNo,
        cases: rowsOf({
          name: text,
          by: { ...oneOf("author", "runner"), description: "`runner`: a standard case, which every source has" },
          passed: yesOrNo,
          differences: listOf(text),
          warnings: listOf(text),
        }),
        missing: listOf(text),
        warnings: listOf(text),
        text,
      }),
      broken_files: listOf(text),
      counts: text,
    }),
    Type.Object({
      live: Type.Literal(true),
      source: text,
      case: orNull(text),
      inputs_from: oneOf("given", "case", "live"),
      outcome: text,
      expected: orNull(text),
      message: orNull(text),
      charged: oneOf("yes", "no", "unknown"),
      requests: count,
      took_ms: Type.Number(),
      passed: yesOrNo,
      differences: listOf(text),
      recorded_in: orNull(text),
    }),
  ]),

  async run(given, call) {
    const input = given as Input;
    refuseMixtures(input);
    const sources = await call.sources({ quiet: input.source === undefined });
    const tools = await call.authoring();
    if (input.live === true) {
      const { org, credential } = input;
      return testLive(input, requireSource(sources, input.source!), tools, liveCallParts(call, { org, credential }));
    }
    const ids = input.source === undefined ? sources.ids() : [requireSource(sources, input.source).id];
    const chosen = input.source !== undefined || input.all === true ? ids : ids.filter((id) => isOwn(id, tools));
    const broken = input.source === undefined ? tools.problems : [];
    if (chosen.length === 0 && broken.length === 0) {
      throw new OperatorError("invalid", "The project has no sources. Name a source of the catalog, or give --all.");
    }
    const tested = chosen.map((id) => sources.find(id)!);
    const reports =
      input.case === undefined
        ? await runAll(tested, tools, call.onProgress)
        : [await runOne(tested[0]!, input.case, tools)];
    return {
      passed: broken.length === 0 && reports.every(({ passed }) => passed),
      sources: reports.map(toWire),
      broken_files: [...broken],
      counts: countReports(reports, broken.length),
    };
  },

  refuseWatch: ({ live }) =>
    live === true ? "--watch does not go with --live: every change would call the vendor." : null,
  hasFailed: (result) => result["passed"] === false,
  render(result) {
    return result["live"] === true ? renderLive(result) : renderCases(result);
  },
});

function isOwn(id: string, tools: AuthoringTools): boolean {
  return tools.fileOf(id)?.from === "project";
}

function refuseMixtures({ source, all, live, case: named, ...rest }: Input): void {
  const no = (message: string) => {
    throw new OperatorError("usage", message);
  };
  if (source !== undefined && all === true) no("Name one source, or give --all.");
  if (source === undefined && live === true)
    no("--live asks one source, because it can be billed: name it. To ask all: datarun prove");
  if (source === undefined && named !== undefined) no("--case applies to one source: name it.");
  const liveOnly = Object.entries(rest).find(([, value]) => value !== undefined);
  if (live !== true && liveOnly !== undefined) no(`${optionOf(liveOnly[0])} belongs to --live.`);
}

function optionOf(property: string): string {
  return `--${property.replaceAll("_", "-").replace("inputs", "set")}`;
}

/** @throws OperatorError if the source has no such case */
async function runOne(source: RunnableSource, name: string, tools: AuthoringTools): Promise<SourceReport> {
  const report = await runNamedCase(source, name, tools.cases);
  if (report === null) throw new OperatorError("not_found", `${source.id} has no case of that name.`);
  return report;
}

const AT_ONCE = 8;

/** Runs several cases at once, because some wait long for a vendor that never answers. */
async function runAll(
  sources: readonly RunnableSource[],
  tools: AuthoringTools,
  onProgress: OnProgress,
): Promise<SourceReport[]> {
  const reports: SourceReport[] = [];
  const left = [...sources.entries()];
  let done = 0;
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      reports[next[0]] = await runCases(next[1], tools.cases);
      onProgress("sources tested", ++done, sources.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, sources.length) }, work));
  return reports;
}

function toWire(report: SourceReport): JsonObject {
  return {
    source: report.source,
    passed: report.passed,
    cases: report.cases.map((each) => ({
      name: each.name,
      by: each.by,
      passed: each.passed,
      differences: each.differences.map(renderDifference),
      warnings: [...each.warnings],
    })),
    missing: [...report.missing],
    warnings: [...report.warnings],
    text: renderReport(report),
  };
}

function renderCases(result: JsonObject): string {
  const sources = result["sources"] as unknown as readonly (JsonObject & {
    passed: boolean;
    warnings: readonly string[];
    text: string;
  })[];
  const broken = result["broken_files"] as readonly string[];
  const several = sources.length > 1;
  // With several sources, only failed ones and those with warnings are shown in full.
  const blocks = sources.map(({ text, passed, warnings }) =>
    several && passed && warnings.length === 0 ? text.split("\n")[0]! : text,
  );
  return [...blocks, ...broken.map((message) => `FAILED ${message}`), result["counts"] as string, ""].join("\n");
}
