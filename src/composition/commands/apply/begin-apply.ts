import type { CommandIo } from "../../../admin/cli/command-io.ts";
import { usage } from "../../../admin/cli/parse-command.ts";
import { EXIT } from "../../../admin/cli/report-failure.ts";
import { decodeText } from "../../../admin/cli/read-text-file.ts";
import { renderChanges } from "../../../admin/state/render-changes.ts";
import type { toWirePlan } from "../../../admin/state/plan-wire.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { shellWord } from "../../../terms/text/shell-word.ts";
import { openAdminAccess } from "../batch/open-admin-access.ts";
import { type CommandOutcome, runToEnd } from "../command-process.ts";
import { openTokensFile, readBytes, readPlanFile, savePlan, type SavedPlan } from "./apply-files.ts";

export interface ApplyInputs {
  readonly file?: string;
  readonly plan?: boolean;
  readonly out?: string;
  readonly plan_file?: string;
  readonly prune?: boolean;
  readonly tokens_out?: string;
  readonly data_dir?: string;
  readonly project?: string;
  readonly remote?: string;
  readonly json?: boolean;
}

/** Exit codes of `--plan`. */
const CHANGES = 2;
const DRIFT = 3;

type WirePlan = ReturnType<typeof toWirePlan> & { readonly secrets: readonly string[] };

interface WireResult extends Pick<WirePlan, "changes" | "file_digest"> {
  readonly issued: readonly { kind: "token" | "operator"; object: string; id: string; token: string }[];
  readonly problem: string | null;
}

/** Applies the file of this command line or shows its plan, and ends the process. */
export async function beginApply(given: ApplyInputs, program = () => "datarun"): Promise<number> {
  return runToEnd(({ env }) => outcomeOf(given, env), given.json === true, program);
}

async function outcomeOf(given: ApplyInputs, env: CommandIo["env"]): Promise<CommandOutcome> {
  const { name, saved } = await readInput(given);
  const { state, prune } = saved;
  const place = { dataDir: given.data_dir, project: given.project, makesStore: given.plan !== true };
  const { admin, close } = await openAdminAccess(given.remote, place, env);
  const ask = async (verb: string, input: JsonObject) =>
    admin.ask(verb, input).catch(withoutStore(name)).catch(withName(name));
  try {
    const plan = (await ask("state plan", { state, prune })) as unknown as WirePlan;
    const digest = saved.store_digest ?? plan.store_digest;
    if (digest !== plan.store_digest)
      throw new OperatorError("refused", "The store has changed since the plan was made. Make a new plan.");
    const text = planText(plan, prune);
    if (given.plan === true) {
      if (given.out !== undefined) await savePlan(given.out, { ...saved, store_digest: plan.store_digest });
      const code = plan.changes.length === 0 ? EXIT.done : plan.drifted > 0 ? DRIFT : CHANGES;
      return { result: plan, text, code };
    }
    const issues = plan.changes.some(
      ({ kind, action }) => (kind === "token" || kind === "operator") && (action === "create" || action === "replace"),
    );
    const secrets = await readSecrets(plan.secrets, state, env);
    const tokens = given.tokens_out === undefined || !issues ? null : await openTokensFile(given.tokens_out);
    const input = { state, prune, store_digest: digest, secrets };
    const result = (await ask("state apply", input).catch(async (error: unknown) => {
      await tokens?.close([]);
      throw error;
    })) as unknown as WireResult;
    await tokens?.close(result.issued);
    const { issued, problem } = result;
    const shown = tokens === null ? issued : issued.map(({ token: _, ...others }) => others);
    return {
      result: { ...result, issued: shown, kept: plan.kept },
      text: text + resultText(result, tokens === null),
      code: problem === null ? EXIT.done : EXIT.failed,
    };
  } finally {
    await close();
  }
}

async function readInput(given: ApplyInputs): Promise<{ readonly name: string; readonly saved: SavedPlan }> {
  if ((given.file === undefined) === (given.plan_file === undefined)) throw usage("Give either --file or --plan-file.");
  if (given.out !== undefined && given.plan !== true) throw usage("--out goes with --plan.");
  if (given.file !== undefined) {
    const bytes = await readBytes(given.file);
    return { name: given.file, saved: { state: decodeText(bytes), prune: given.prune === true, store_digest: null } };
  }
  if (given.prune !== undefined || given.plan !== undefined)
    throw usage("--plan-file applies a plan as it was made: --plan and --prune do not go with it.");
  return { name: given.plan_file!, saved: await readPlanFile(given.plan_file!) };
}

/** Only `--plan` opens a store that has to exist. */
function withoutStore(file: string): (error: unknown) => Promise<never> {
  return async (error) => {
    const { StoreMissing } = await import("../../../storage/engine.ts");
    if (!(error instanceof StoreMissing)) throw error;
    const next = `To make it as the file describes: datarun apply -f ${shellWord(file)}`;
    throw new OperatorError(error.code, `${error.message.replace(/\. .*/s, ".")} Everything would be new. ${next}`);
  };
}

/** Puts the name of the file before the line and column of each problem. */
function withName(file: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof OperatorError && /^\d+:\d+: /.test(error.message))
      throw new OperatorError(error.code, error.message.replaceAll(/^(?=\d+:\d+: )/gm, `${file}:`), { cause: error });
    throw error;
  };
}

/**
 * Reads the values that new credentials need. Another place than those in the file is refused, because a service must
 * not choose what is read here.
 */
async function readSecrets(
  places: readonly string[],
  state: string,
  env: CommandIo["env"],
): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = {};
  for (const place of places) {
    if (!state.includes(`\${${place}}`))
      throw new OperatorError("refused", "The service asks for a value that is not named in the file.");
    const name = place.slice(place.indexOf(":") + 1);
    values[place] = place.startsWith("env:") ? variable(name, env) : await fileText(name);
  }
  return values;
}

function variable(name: string, env: CommandIo["env"]): string {
  const value = env[name];
  if (value === undefined || value === "") throw new OperatorError("invalid", `The variable ${name} is not set.`);
  return value;
}

async function fileText(path: string): Promise<string> {
  return decodeText(await readBytes(path)).replace(/\r?\n$/, "");
}

function planText({ changes, kept }: WirePlan, prune: boolean): string {
  const rest = kept.map(({ kind, object, id }) => `${kind} ${object} ${id}`);
  const keptText =
    rest.length === 0 || prune
      ? ""
      : `The file does not describe these, which stay without --prune:\n  ${rest.join("\n  ")}\n`;
  return (changes.length === 0 ? "Nothing to do.\n" : renderChanges(changes, prune)) + keptText;
}

function resultText({ changes, issued, problem }: WireResult, showsTokens: boolean): string {
  const tokens = issued.map(
    ({ kind, object, id, token }) => `${kind} ${object} ${id}${showsTokens ? `: ${token}` : ""}\n`,
  );
  const shownOnce =
    showsTokens && issued.length > 0 ? "The tokens are shown only once. Keep them where you keep secrets.\n" : "";
  const made =
    changes.length === 0 ? "" : `${changes.length === 1 ? "1 change is" : `${changes.length} changes are`} made.\n`;
  return `${tokens.join("")}${shownOnce}${made}${problem === null ? "" : `Failed: ${problem}\n`}`;
}
