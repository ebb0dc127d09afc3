import { type ObservedReply, type Reply, replyName } from "../../../sdk/http.ts";
import type { SourceCall } from "../../../sdk/source.ts";
import { digitsOf, isNumber } from "../../../terms/json/exact-number.ts";
import { Fault } from "../../../terms/fault.ts";
import type { Json } from "../../../terms/json/json.ts";
import { valueOrNull, type ReplyView, type StepView } from "../expressions/expression.ts";
import type { SourceDeclarationFile } from "../format/format.ts";
import type { StepFile } from "../format/steps-format.ts";
import { unreported } from "../reply/compile-charge.ts";
import { compileJudge, faultOfStatus, type Judge } from "../reply/judge-reply.ts";
import { addressOf, type RenderedRequest, type RequestTarget } from "../request/render-request.ts";
import { NOT_YET, type TemplateValues } from "../request/template.ts";
import { ask, valuesOf, type CallLogin } from "./send-and-judge.ts";
import { readNextLink, targetOf } from "./next-link.ts";
import { compileStepList, namesAfter, type CompiledStep, type Pages } from "./compile-steps.ts";
import { type AskVendor, type ExchangeSetting, judgedBilled } from "./one-request.ts";
import { compileResume, orderToResume, type Resume } from "./resume.ts";
import { isPassingStatus, passingFault, pollFor, type Poll } from "./poll.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Compiles a source that sends several requests, one after the other. @throws DeclarationError */
export function compileSteps(
  files: readonly StepFile[],
  source: SourceDeclarationFile,
  setting: ExchangeSetting,
): AskVendor {
  const { known, root } = setting;
  const resume = compileResume(source.resume, files, known["inputs"] ?? [], root.in("resume"));
  const parts: WalkParts = {
    ...setting,
    steps: compileStepList(files, source, resume, setting),
    resume,
    judge: compileJudge(source, root, namesAfter(files)),
  };
  return (call) => new Walk(parts, call).toItsEnd();
}

interface WalkParts extends ExchangeSetting {
  readonly steps: readonly CompiledStep[];
  readonly resume: Resume | null;
  readonly judge: Judge;
}

/** The reply to one step. */
interface Answered {
  readonly step: CompiledStep;
  readonly reply: Reply;
  readonly view: ReplyView;
  readonly free: boolean;
  /** The bodies of all replies to a step that is repeated. */
  readonly pages?: readonly Json[];
}

/** One call, step by step. */
class Walk {
  readonly #parts: WalkParts;
  readonly #call: SourceCall;
  readonly #answers: Record<string, StepView> = {};
  readonly #login: CallLogin = {};
  #orderId: string | undefined;
  #isResumed = false;
  /** Whether the last request that can be billed was billed: a failure that a poll reports concerns that request. */
  #isLastBilled = true;
  /** The wait in ms that the last reply requested. */
  #retryAfterMs = 0;

  constructor(parts: WalkParts, call: SourceCall) {
    this.#parts = parts;
    this.#call = call;
  }

  async toItsEnd(): ReturnType<AskVendor> {
    const { judge, clock } = this.#parts;
    const steps = this.#stepsToMake();
    this.#assertAllCanBeSent(steps);
    let last: Answered | undefined;
    for (const step of steps) {
      if (!this.#isAsked(step)) continue;
      const answered = await this.#askAll(step);
      const { reply, view } = answered;
      if (this.#judged(answered, () => this.#endsHere(answered, steps))) {
        this.#settleCharge(answered);
        return { reply, view, verdict: "no_record" };
      }
      this.#answers[step.name] = viewOfStep(answered);
      if (step !== steps.at(-1)) this.#settleCharge(answered);
      this.#takeOrder(answered);
      this.#retryAfterMs = retryAfterMs(view.headers, clock);
      last = answered;
    }
    const { reply, view } = last!;
    const verdict = this.#judged(last!, () => judge(view));
    this.#settleCharge(last!);
    return { reply, view, verdict };
  }

  /** All steps, or those from `resume` on if an earlier run has placed the order. @throws Fault */
  #stepsToMake(): readonly CompiledStep[] {
    const { steps, resume } = this.#parts;
    const order = resume === null ? null : orderToResume(resume, this.#call.inputs);
    if (resume === null || order === null) return steps;
    try {
      this.#call.ordered(order);
    } catch (cause) {
      const detail = { field: resume.input, problem: "is not the number of an order" };
      throw new Fault("source.input_invalid", detail, { cause });
    }
    this.#orderId = order;
    this.#isResumed = true;
    return steps.slice(resume.from);
  }

  #askAll(step: CompiledStep): Promise<Answered> {
    if (step.pages !== null) return this.#askForPages(step, step.pages);
    return step.poll === null ? this.#ask(step) : this.#askUntilReady(step, step.poll);
  }

  /** Requests pages until there is no further one. Only the first page can mean that there is no record. */
  async #askForPages(step: CompiledStep, { max, hasMore, linkIn }: Pages): Promise<Answered> {
    const pages: Json[] = [];
    const visited = new Set<string>();
    let target: RequestTarget | undefined;
    let sent: RenderedRequest;
    const request = { render: (values: TemplateValues) => (sent = step.request.render(values, target)) };
    for (;;) {
      const answered = { ...(await this.#ask({ ...step, request })), step, pages };
      const { view } = answered;
      pages.push(view.body);
      const isUsable = step.isUsable(view.status);
      if (pages.length === 1 && (!isUsable || step.isNone(view))) return answered;
      if (pages.length > 1) this.#judged(answered, () => assertPage(view, isUsable));
      if (pages.length === max || !hasMore(view)) return answered;
      if (linkIn !== null) {
        visited.add(addressOf(sent!));
        const link = this.#judged(answered, () => readNextLink(valueOrNull(linkIn, view), sent, visited));
        if (link === null) return answered;
        visited.add(link.href);
        target = targetOf(link);
      }
      this.#settleCharge(answered);
      this.#answers[step.name] = viewOfStep(answered);
    }
  }

  async #ask(step: CompiledStep, onReply: () => void = () => {}): Promise<Answered> {
    const { auth, charge } = this.#parts;
    const { accept, viewOf } = step;
    const free = step.free || charge.isFree(this.#call.inputs);
    const cost = { free, most: charge.mostFor(this.#call.inputs), isOrder: step.isOrder };
    const asking = { auth, accept, cost, login: this.#login };
    return ask(step.request, this.#call, this.#values(), asking, (reply) => {
      onReply();
      (reply as Reply & Partial<ObservedReply>)[replyName] = step.name;
      const view = { ...viewOf(reply), steps: this.#answers };
      const answered = { step, reply, view, free };
      this.#judged(answered, () => step.failing(view));
      return answered;
    });
  }

  #askUntilReady(step: CompiledStep, poll: Poll): Promise<Answered> {
    // An earlier run has placed the order, so no first wait is needed.
    const afterMs = this.#isResumed ? this.#retryAfterMs : Math.max(poll.firstAfterMs, this.#retryAfterMs);
    const start = { afterMs, isOrdered: this.#orderId !== undefined };
    return pollFor(poll, this.#call, start, async () => {
      let answered: Answered;
      let hasReply = false;
      try {
        answered = await this.#ask(step, () => (hasReply = true));
      } catch (thrown) {
        const lost = hasReply ? null : passingFault(thrown);
        if (lost === null) throw thrown;
        return { lost, retryAfterMs: 0 };
      }
      const { view } = answered;
      const asks = { retryAfterMs: retryAfterMs(view.headers, this.#parts.clock) };
      return this.#judged(answered, () => {
        poll.failing(view);
        if (step.isNone(view)) return { answer: answered, isReady: true, ...asks };
        if (step.isUsable(view.status)) return { answer: answered, isReady: poll.isReady(view), ...asks };
        const fault = faultOfUnusable(view.status);
        if (!isPassingStatus(view.status)) throw fault;
        return { lost: new Fault(fault.code, fault.detail), ...asks };
      });
    });
  }

  /**
   * Whether this reply means that there is no record. After the last step, the file's `match` can also decide that.
   * @throws Fault
   */
  #endsHere({ step, view, pages = [] }: Answered, steps: readonly CompiledStep[]): boolean {
    if (pages.length < 2 && step.isNone(view)) return true;
    if (step === steps.at(-1) || step.isUsable(view.status)) return false;
    throw faultOfUnusable(view.status);
  }

  #isAsked({ name, condition }: CompiledStep): boolean {
    try {
      return condition === null || condition.holds({ inputs: this.#call.inputs, steps: this.#answers });
    } catch (cause) {
      throw new Fault("source.contract", { problem: `the condition of step ${name} cannot be evaluated` }, { cause });
    }
  }

  /**
   * Finds inputs and credentials that a later request cannot use, before anything is sent, because an order costs
   * money.
   */
  #assertAllCanBeSent(steps: readonly CompiledStep[]): void {
    const { moments } = this.#parts.auth;
    const later = { steps: NOT_YET, order_id: this.#orderId ?? NOT_YET, token: "-", request_id: "-" };
    const values = { ...this.#values(), ...moments.moment(this.#call), ...later };
    for (const step of steps) {
      const { condition, request } = step;
      if (condition !== null && !(condition.isAboutInputs && this.#isAsked(step))) continue;
      try {
        request.render(values);
      } catch (thrown) {
        if (thrown instanceof Fault && CALLERS.has(thrown.code)) throw thrown;
        // Problems with values of later replies are reported when those replies have arrived.
      }
    }
  }

  #takeOrder({ step, view }: Answered): void {
    if (step.orderIdOf === null) return;
    const id = textOf(step.orderIdOf, view);
    if (id === null) throw new Fault("source.contract", { problem: "the order's reply has no number" });
    this.#orderId = id;
    this.#call.ordered(id);
  }

  #settleCharge({ free, reply, view }: Answered): void {
    if (!free) this.#isLastBilled = this.#parts.charge.report(reply, view, this.#call.inputs);
  }

  /**
   * Judges a reply and decides which request its failure concerns. An error status of a free request concerns only that
   * request, so the charge of the earlier order stays. So does a refusal, such as of an expired session. Any other
   * error reported in a body, or a charge that the file states, concerns the order, unless the order was not billed.
   */
  #judged<Value>(answered: Answered, judge: () => Value): Value {
    const { free, view } = answered;
    if (!free) return judgedBilled(judge, answered, this.#parts.charge, this.#call.inputs);
    try {
      return judge();
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.reported === null) throw thrown;
      const isRefusal = view.status >= 400 || thrown.row.charged === "no";
      const isOwn = isRefusal && thrown.reported.charged === undefined;
      throw isOwn || !this.#isLastBilled ? unreported(thrown) : thrown;
    }
  }

  #values(): TemplateValues {
    return { ...valuesOf(this.#call), steps: this.#answers as unknown as Json, order_id: this.#orderId };
  }
}

function viewOfStep({ view: { status, headers, body }, pages }: Answered): StepView {
  return { status, headers, body, ...(pages === undefined ? {} : { pages }) };
}

/** A further page without a body would end the list too early. @throws Fault */
function assertPage({ status, body }: ReplyView, isUsable: boolean): void {
  if (!isUsable) throw faultOfUnusable(status);
  if (body === null) throw new Fault("source.contract", { problem: "a page that was announced is empty" });
}

function faultOfUnusable(status: number): Fault {
  return (
    faultOfStatus(status) ?? new Fault("source.contract", { problem: "its status is not one that the source expects" })
  );
}

/** Faults that the caller can correct. */
const CALLERS: ReadonlySet<string> = new Set(["source.input_invalid", "source.credential_missing"]);

function textOf(evaluate: (view: ReplyView) => Json, view: ReplyView): string | null {
  const value = valueOrNull(evaluate, view);
  if (isNumber(value)) return digitsOf(value);
  return typeof value === "string" && value !== "" ? value : null;
}
