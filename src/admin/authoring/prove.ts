import { accessSync, constants, readFileSync } from "node:fs";
import type { RunnableSource } from "../../run/ports.ts";
import { proofsFile, proofsText, readProofs } from "../../sources/proofs.ts";
import { wordsOfRules } from "../../simulation/record-case.ts";
import type { Context } from "../../terms/caller.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { Price } from "../../terms/money/price.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { chooseCredentialFor } from "../chosen-credential.ts";
import type { VerbCall } from "../needs.ts";
import { costOf } from "../planned-cost.ts";
import type { ExplainingFinder, SourceListing } from "../ports.ts";
import { askVendor, outcomeOf } from "./ask-vendor.ts";
import { differencesOf, firstRecord } from "./live-test.ts";
import type { AuthoringTools, LiveAnswer, LiveCallParts } from "./ports.ts";
import {
  type Called,
  type ProvableSource,
  NO_CREDENTIAL,
  type ProvedSource,
  proveSources,
  skipped,
} from "./prove-sources.ts";
import { replaceFile, shownPath } from "./source-files.ts";
import { shapeOf, shapeOfReply } from "./shape-of.ts";

export interface ProveRequest {
  /** The named sources; all without it. */
  readonly ids: readonly string[] | undefined;
  readonly organization: string | undefined;
  readonly context: Context;
  readonly freeOnly: boolean;
  readonly yes: boolean;
  readonly most: Price | undefined;
}

type ProveCall = Pick<
  VerbCall<"region" | "terminal" | "finder">,
  "clock" | "note" | "onProgress" | "region" | "terminal" | "finder"
>;

/** Calls the vendors of sources that can be proved, and writes the proofs into the project. @throws OperatorError */
export async function prove(
  request: ProveRequest,
  project: string,
  sources: SourceListing,
  tools: AuthoringTools,
  parts: LiveCallParts,
  call: ProveCall,
): Promise<{ readonly file: string; readonly rows: readonly ProvedSource[] }> {
  const { clock, note, terminal, onProgress } = call;
  const { context, yes, most } = request;
  const file = proofsFile(project);
  const proofs = { ...proofsOf(project) };
  assertWritable(project);
  // Problems that would affect every vendor are reported before the first call.
  await parts.trail();
  const owner = await parts.owner();
  const finder = owner === null ? null : await call.finder();
  const skippedRows: ProvedSource[] = [];
  const candidates: ProvableSource[] = [];
  for (const id of request.ids ?? sources.ids()) {
    const source = sources.find(id)!;
    const why = whyNot(source, sources.placeOf(id)!.isOn, owner !== null);
    const chosen =
      why === null ? await candidateOf(source, { owner, finder, context, region: call.region(), clock }) : why;
    if (typeof chosen === "string") skippedRows.push(skipped(id, chosen));
    else if (request.freeOnly && chosen.cost !== "nothing")
      skippedRows.push(skipped(id, `its vendor bills (${source.charge})`));
    else candidates.push(chosen);
  }
  let done = 0;
  const rows = await proveSources(candidates, {
    clock,
    most,
    async call(source) {
      const { inputs } = source.declaration.live!;
      const answer = await askVendor(
        { source, inputs, context, credential: undefined, purpose: { proves: source.version } },
        parts,
      );
      return calledOf(source, answer, tools, clock.wall());
    },
    async agree(source, price) {
      note(`${source.id}: ${price}`);
      if (yes) return true;
      if (!terminal().interactive) return false;
      return /^y(?:es)?$/i.test(((await terminal().ask("Call it? [y/N] ")) ?? "").trim());
    },
    keep(id, proof) {
      proofs[id] = proof;
      writeProofs(file, proofsText(proofs));
    },
    onCalled: () => onProgress("sources called or skipped", ++done, candidates.length),
  });
  const called = rows.filter(({ state }) => state !== "skipped");
  if (called.length > 0 && called.every(({ outcome }) => outcome === "unreachable")) note(NO_NETWORK);
  return { file: shownPath(file), rows: [...rows, ...skippedRows] };
}

const NO_NETWORK =
  "No vendor could be reached, so nothing is said about any. Is there a network here, and does the setting outbound.proxy name the proxy that it needs?";

function proofsOf(project: string) {
  try {
    return readProofs(project);
  } catch (error) {
    throw new OperatorError("invalid", `${(error as Error).message}. Correct or remove it first.`, { cause: error });
  }
}

function assertWritable(project: string): void {
  try {
    accessSync(project, constants.W_OK);
  } catch (error) {
    throw new OperatorError(
      "invalid",
      `No proofs can be written into ${shownPath(project)}, so no vendor was called.`,
      {
        cause: error,
      },
    );
  }
}

function writeProofs(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`The proofs cannot be written into ${file} (${code}), so no further vendor was called.`, {
      cause: error,
    });
  }
}

/** Why a source is not called; `null` if it may be. */
function whyNot(
  { declaration, leavesMachine, credentialUse }: RunnableSource,
  isOn: boolean,
  hasOwner: boolean,
): string | null {
  const { "x-example": isExample } = declaration as unknown as Readonly<Record<string, unknown>>;
  if (!leavesMachine) return "answers on this machine";
  if (isExample === true) return "an example without a vendor";
  if (!isOn) return "off: the setting `catalog` does not name it";
  if (declaration.live === undefined) return "declares no inputs under `live`";
  return credentialUse === "required" && !hasOwner
    ? "needs a credential: give --org with an organization that has one"
    : null;
}

interface Chosen {
  readonly owner: string | null;
  readonly finder: ExplainingFinder | null;
  readonly context: Context;
  readonly region: string;
  readonly clock: ProveCall["clock"];
}

/** The source with the cost of its call, or why it cannot be called. */
async function candidateOf(
  source: RunnableSource,
  { owner, finder, context, region, clock }: Chosen,
): Promise<ProvableSource | string> {
  const workflow = { organizationId: owner ?? "", autoCredentials: false };
  const chosen =
    finder === null || source.credentialUse === "none"
      ? null
      : await chooseCredentialFor(source, { workflow, context, region, credentialId: undefined }, finder);
  if (chosen?.works === false) return NO_CREDENTIAL;
  const { cost, price } = costOf(source, chosen?.found ?? null, clock.wall());
  return { source, cost: cost === "nothing" ? cost : (price ?? "unknown") };
}

function calledOf(source: RunnableSource, answer: LiveAnswer, tools: AuthoringTools, wallAt: number): Called {
  const { report, output, replies } = answer;
  const words = wordsOfRules(readFileSync(tools.fileOf(source.id)!.path, "utf8"), source).names;
  const each = firstRecord(source.declaration.cases ?? []);
  return {
    outcome: outcomeOf(answer),
    message: report.fault?.says ?? null,
    requests: report.attempts.length,
    spent: spentOn(report.attempts),
    differences: each === undefined ? [] : differencesOf(each, false, answer),
    proof:
      output === null
        ? null
        : {
            digest: source.version,
            date: new Date(wallAt).toISOString().slice(0, 10),
            build: tools.version(),
            match: report.match,
            replies: replies.map((reply) => ({ status: reply.status, shape: shapeOfReply(reply, words) })),
            output: shapeOf(output, words),
          },
  };
}

function spentOn(attempts: LiveAnswer["report"]["attempts"]): Price | null {
  const priced = attempts.filter(({ charged, price }) => charged !== "no" && price !== null);
  const amount = priced.reduce<Micros>((sum, { price }) => sum + price!.amount, 0n);
  return priced.length === 0 ? null : { amount, currency: priced[0]!.price!.currency };
}
