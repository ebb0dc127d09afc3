import type { Json, JsonObject } from "../../../terms/json.ts";
import {
  ANSWER_PARTS,
  compileExpression,
  compilePredicate,
  isOnlyAbout,
  type ExpressionNames,
  type ReplyView,
} from "../expressions/expression.ts";
import { isTrue } from "../expressions/evaluate.ts";
import type { SourceFile } from "../format/format.ts";
import type { Place } from "../format/read-document.ts";
import type { StepFile } from "../format/steps-format.ts";
import { compileErrors, type Failing } from "../reply/judge-reply.ts";
import type { RequestTemplate } from "../request/render-request.ts";
import type { KnownNames } from "../request/template.ts";
import { compileAuthenticated } from "./ask.ts";
import type { ExchangeSetting } from "./one-request.ts";
import type { Resume } from "./resume.ts";
import { compilePoll, type Poll } from "./poll.ts";

/** One request of several. */
export interface Step {
  readonly name: string;
  readonly request: RequestTemplate;
  readonly free: boolean;
  /** What must hold for it to be asked; `null`: it always is. */
  readonly condition: Condition | null;
  /** Throws what its answer reports. */
  readonly failing: Failing;
  readonly isNone: (view: ReplyView) => boolean;
  /** Whether what comes next may build on an answer of this status. */
  isUsable(status: number): boolean;
  readonly orderIdOf: ((view: ReplyView) => Json) | null;
  /** Asked again and again; `null`: once. */
  readonly poll: Poll | null;
}

export interface Condition {
  /** Nothing has to be asked to know it. */
  readonly isAboutInputs: boolean;
  holds(known: { readonly inputs: JsonObject; readonly steps: NonNullable<ReplyView["steps"]> }): boolean;
}

/** @throws DeclarationError */
export function compileStepList(
  files: readonly StepFile[],
  source: SourceFile,
  resume: Resume | null,
  setting: ExchangeSetting,
): Step[] {
  const place = setting.root.in("steps");
  assertNames(files, place);
  const orderAt = orderStep(files, place);
  if (files[0]!.when !== undefined) {
    place.in(0, "when").refuseKey("format.value", "the first step is always made", "leave its condition out");
  }
  return files.map((file, at) => {
    const before = files.slice(0, at).map(({ name }) => name);
    // What a run that resumes has not asked is nothing that a request can be made of.
    const asked = resume !== null && at >= resume.from ? before.slice(resume.from) : before;
    const known = { ...setting.known, steps: asked, ...(orderAt >= 0 && at > orderAt ? { order_id: null } : {}) };
    return compileStep(file, before, known, source, { ...setting, place: place.in(at) });
  });
}

/** What an expression over an answer of a source of steps may read. */
export function namesAfter(steps: readonly string[]): ExpressionNames {
  return { roots: [...ANSWER_PARTS, "steps"], below: { steps } };
}

function compileStep(
  file: StepFile,
  before: readonly string[],
  known: KnownNames,
  source: SourceFile,
  { auth, root, place }: ExchangeSetting & { readonly place: Place },
): Step {
  const names = namesAfter(before);
  const reported = compileErrors(file.errors, place.in("errors"), names);
  const everywhere = compileErrors(source.errors, root.in("errors"));
  const none = file.match?.no_record;
  return {
    name: file.name,
    request: compileAuthenticated(file.request, source.origins, auth, known, place.in("request")),
    free: file.free === true,
    condition: file.when === undefined ? null : compileCondition(file.when, before, known, place.in("when")),
    failing(view) {
      reported(view);
      everywhere(view);
    },
    isNone: none === undefined ? () => false : compilePredicate(none, place.in("match", "no_record"), names),
    isUsable: (status) => (status >= 200 && status < 300) || file.answers?.includes(status) === true,
    orderIdOf: file.order_id === undefined ? null : compileExpression(file.order_id, place.in("order_id"), names),
    poll: compilePoll(file, names, place.in("poll")),
  };
}

function compileCondition(when: string, steps: readonly string[], { inputs }: KnownNames, place: Place): Condition {
  const names = { roots: ["inputs", "steps"], below: { inputs: inputs ?? [], steps } };
  const evaluate = compileExpression<object>(when, place, names);
  return {
    isAboutInputs: isOnlyAbout(when, ["inputs"], place),
    holds: (view) => isTrue(evaluate(view)),
  };
}

function assertNames(files: readonly StepFile[], place: Place): void {
  const seen = new Set<string>();
  for (const [at, { name }] of files.entries()) {
    if (seen.has(name)) place.in(at, "name").refuse("request.duplicate", `there are two steps "${name}"`);
    seen.add(name);
  }
}

/** Which step places the order, -1 for none. */
function orderStep(files: readonly StepFile[], place: Place): number {
  const isOrder = ({ order_id: id }: StepFile) => id !== undefined;
  const last = files.findLastIndex(isOrder);
  if (files.findIndex(isOrder) !== last) {
    place.in(last, "order_id").refuseKey("request.duplicate", "a source has one order", "say order_id once");
  }
  return last;
}
