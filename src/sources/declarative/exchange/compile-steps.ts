import type { Json, JsonObject } from "../../../terms/json/json.ts";
import type { Reply } from "../../../sdk/http.ts";
import { compileAuthenticated, type AuthenticatedRequest } from "../auth/authenticated-request.ts";
import {
  ANSWER_PARTS,
  compileExpression,
  compilePredicate,
  isOnlyAbout,
  type AnswerView,
  type ExpressionNames,
  type ReplyView,
} from "../expressions/expression.ts";
import { isTrue } from "../expressions/evaluate.ts";
import type { SourceDeclarationFile } from "../format/format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import type { StepFile } from "../format/steps-format.ts";
import { compileErrors, type Failing } from "../reply/judge-reply.ts";
import { acceptOf, assertReading, compileView } from "../reply/view-reply.ts";
import { namesIn, type KnownNames } from "../request/template.ts";
import type { ExchangeSetting } from "./one-request.ts";
import type { Resume } from "./resume.ts";
import { compilePoll, type Poll } from "./poll.ts";

/** One request of a source with several. */
export interface CompiledStep {
  readonly name: string;
  readonly request: AuthenticatedRequest;
  /** The field `Accept` of the request. */
  readonly accept: string;
  readonly viewOf: (reply: Reply) => AnswerView;
  readonly free: boolean;
  /** Whether the step places the order, or starts the work that a later step polls for. */
  readonly isOrder: boolean;
  /** The step is skipped unless this condition is true; `null`: the step is always taken. */
  readonly condition: StepCondition | null;
  /** Throws the failure that the step's reply reports. */
  readonly failing: Failing;
  readonly isNone: (view: ReplyView) => boolean;
  /** Whether the source continues after a reply with this status. */
  isUsable(status: number): boolean;
  readonly orderIdOf: ((view: ReplyView) => Json) | null;
  /** How the request is repeated; `null`: it is sent once. */
  readonly poll: Poll | null;
  /** How the request is repeated for the pages of a list; `null`: it has no pages. */
  readonly pages: Pages | null;
}

export interface Pages {
  /** The largest number of requests. */
  readonly max: number;
  hasMore(view: ReplyView): boolean;
  /** Finds the address of the next page in a reply; `null`: the request itself names the next page. */
  readonly linkIn: ((view: ReplyView) => Json) | null;
}

export interface StepCondition {
  /** Whether the condition depends on inputs alone, so that it is known before anything is sent. */
  readonly isAboutInputs: boolean;
  holds(known: { readonly inputs: JsonObject; readonly steps: NonNullable<ReplyView["steps"]> }): boolean;
}

/** @throws DeclarationError */
export function compileStepList(
  files: readonly StepFile[],
  source: SourceDeclarationFile,
  resume: Resume | null,
  setting: ExchangeSetting,
): CompiledStep[] {
  const place = setting.root.in("steps");
  assertNames(files, place);
  const orderAt = orderStep(files, place);
  if (files[0]!.when !== undefined) {
    place.in(0, "when").refuseKey("format.value", "the first step cannot have a condition", "remove the condition");
  }
  return files.map((file, at) => {
    const before = files.slice(0, at);
    // A resumed run has no replies to the steps that it skips, so requests must not use them.
    const asked = resume !== null && at >= resume.from ? before.slice(resume.from) : before;
    const readable = [...asked, ...(file.repeat === undefined ? [] : [file])].map(({ name }) => name);
    const known = {
      ...setting.known,
      steps: readable,
      ...(orderAt >= 0 && at > orderAt ? { order_id: null } : {}),
    };
    // If a later step polls, the vendor works on the request of this step.
    const isPolledFor = files.slice(at + 1).some(({ poll }) => poll !== undefined);
    const isOrder = orderAt >= 0 ? at === orderAt : file.free !== true && isPolledFor;
    return { ...compileStep(file, before, known, source, { ...setting, place: place.in(at) }), isOrder };
  });
}

/** The names that an expression may use after these steps. */
export function namesAfter(files: readonly Pick<StepFile, "name" | "repeat">[]): ExpressionNames {
  const repeated = files.filter(({ repeat }) => repeat !== undefined).map(({ name }) => name);
  return { roots: [...ANSWER_PARTS, "steps"], below: { steps: files.map(({ name }) => name) }, repeated };
}

function compileStep(
  file: StepFile,
  before: readonly StepFile[],
  known: KnownNames,
  source: SourceDeclarationFile,
  { auth, root, place }: ExchangeSetting & { readonly place: DocumentLocation },
): Omit<CompiledStep, "isOrder"> {
  const names = namesAfter(before);
  const reported = compileErrors(file.errors, place.in("errors"), names);
  const everywhere = compileErrors(source.errors, root.in("errors"));
  const none = file.match?.no_record;
  const reading = file.reply ?? source.reply;
  assertReading(file.reply, place.in("reply"));
  return {
    name: file.name,
    request: compileAuthenticated(file.request, source.origins, auth.kinds, known, place.in("request")),
    accept: acceptOf(reading),
    viewOf: compileView(reading),
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
    pages: compilePages(file, names, place),
  };
}

function compilePages(file: StepFile, names: ExpressionNames, place: DocumentLocation): Pages | null {
  const { name, repeat } = file;
  if (repeat === undefined) return null;
  const there = place.in("repeat");
  for (const other of ["poll", "order_id"] as const) {
    if (file[other] === undefined) continue;
    there.refuseKey("format.value", `a step with ${other} has no pages`, "make the pages another step");
  }
  if (repeat.while === undefined && repeat.next === undefined)
    there.refuse(
      "format.missing_key",
      'pages need "while" or "next"',
      "write while: body.has_more, or next: body.next",
    );
  if (repeat.next === undefined && !namesIn(file.request, place.in("request")).has(`steps.${name}`)) {
    const hint = `put a part of the last page into the request, such as query: {cursor: '{{ steps.${name}.body.next }}'}, or name its link: next: body.links.next`;
    there.refuseKey("format.value", "each request would get the first page again", hint);
  }
  return {
    max: repeat.max,
    hasMore: repeat.while === undefined ? () => true : compilePredicate(repeat.while, there.in("while"), names),
    linkIn: repeat.next === undefined ? null : compileExpression(repeat.next, there.in("next"), names),
  };
}

function compileCondition(
  when: string,
  before: readonly StepFile[],
  { inputs }: KnownNames,
  place: DocumentLocation,
): StepCondition {
  const after = namesAfter(before);
  const names = { ...after, roots: ["inputs", "steps"], below: { inputs: inputs ?? [], ...after.below } };
  const evaluate = compileExpression<object>(when, place, names);
  return {
    isAboutInputs: isOnlyAbout(when, ["inputs"], place),
    holds: (view) => isTrue(evaluate(view)),
  };
}

function assertNames(files: readonly StepFile[], place: DocumentLocation): void {
  const seen = new Set<string>();
  for (const [at, { name }] of files.entries()) {
    if (seen.has(name)) place.in(at, "name").refuse("request.duplicate", `there are two steps "${name}"`);
    seen.add(name);
  }
}

/** The index of the step that places the order; -1 if there is none. */
function orderStep(files: readonly StepFile[], place: DocumentLocation): number {
  const isOrder = ({ order_id: id }: StepFile) => id !== undefined;
  const last = files.findLastIndex(isOrder);
  if (files.findIndex(isOrder) !== last) {
    place.in(last, "order_id").refuseKey("request.duplicate", "a source has only one order", "give order_id once");
  }
  return last;
}
