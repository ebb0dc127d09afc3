import { type ObservedReply, type Reply, replyName } from "../../../sdk/http.ts";
import type { SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { compileAuthenticated } from "../auth/authenticated-request.ts";
import type { Auth } from "../auth/compile-auth.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { RequestFile } from "../format/exchange-format.ts";
import type { SourceDeclarationFile } from "../format/format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { unreported, type ChargeRule } from "../reply/compile-charge.ts";
import { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { compileJudge, readsBody, type ReplyVerdict } from "../reply/judge-reply.ts";
import { acceptOf, compileView } from "../reply/view-reply.ts";
import type { KnownNames } from "../request/template.ts";
import { ask, valuesOf } from "./send-and-judge.ts";

/** Sends as many requests as needed to the vendor. @throws Fault */
export type AskVendor = (call: SourceCall) => Promise<DecidingReply>;

/** The reply that determines the result. */
export interface DecidingReply {
  readonly reply: Reply;
  readonly view: ReplyView;
  readonly verdict: ReplyVerdict;
}

/** What a file's requests are compiled with. */
export interface ExchangeSetting {
  readonly auth: Auth;
  readonly charge: ChargeRule;
  readonly known: KnownNames;
  readonly clock: Clock;
  /** The location of the whole file. */
  readonly root: DocumentLocation;
}

/** @throws DeclarationError */
export function compileOneRequest(
  file: RequestFile,
  source: SourceDeclarationFile,
  setting: ExchangeSetting,
): AskVendor {
  const { auth, charge, known, root } = setting;
  const request = compileAuthenticated(file, source.origins, auth.kinds, known, root.in("request"));
  const viewOf = compileView(source.reply, readsBody(source));
  const judge = compileJudge(source, root);
  const accept = acceptOf(source.reply);

  return async (call) => {
    const cost = { free: charge.isFree(call.inputs), most: charge.mostFor(call.inputs) };
    return ask(request, call, valuesOf(call), { auth, accept, cost }, (reply) => {
      (reply as Reply & Partial<ObservedReply>)[replyName] = "";
      const view = viewOf(reply);
      const verdict = judgedBilled(() => judge(view), { reply, view }, charge, call.inputs);
      charge.report(reply, view, call.inputs);
      return { reply, view, verdict };
    });
  };
}

/**
 * Judges a reply that may be billed. If it is a failure, and a condition of `charge` says that such a reply is not
 * billed, the failure is reported as not billed, unless it has a charge of its own. @throws what `judge` throws
 */
export function judgedBilled<Value>(
  judge: () => Value,
  { reply, view }: Pick<DecidingReply, "reply" | "view">,
  charge: ChargeRule,
  inputs: JsonObject,
): Value {
  try {
    return judge();
  } catch (thrown) {
    const isStated = !(thrown instanceof Fault) || thrown.reported?.charged !== undefined;
    if (isStated || !charge.excludes(view, inputs)) throw thrown;
    reply.chargedAs("no");
    throw unreported(thrown);
  }
}
