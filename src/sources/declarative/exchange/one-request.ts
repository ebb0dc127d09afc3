import type { Reply } from "../../../sdk/http.ts";
import type { SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/clock.ts";
import { Stretch } from "../../../terms/stretch.ts";
import type { Auth } from "../auth/compile-auth.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { RequestFile } from "../format/exchange-format.ts";
import type { SourceFile } from "../format/format.ts";
import type { Place } from "../format/read-document.ts";
import type { ChargeRule } from "../reply/compile-charge.ts";
import { compileJudge, looksAtBody, type Verdict } from "../reply/judge-reply.ts";
import { compileView } from "../reply/view-reply.ts";
import type { KnownNames } from "../request/template.ts";
import { acceptOf, ask, compileAuthenticated, valuesOf } from "./ask.ts";

/** Asks the vendor, by as many requests as that takes. @throws Fault */
export type Exchange = (call: SourceCall) => Promise<Exchanged>;

/** The answer that says what was found. */
export interface Exchanged {
  readonly reply: Reply;
  readonly view: ReplyView;
  readonly verdict: Verdict;
  /** Of the work on this answer. */
  readonly stretch: Stretch;
}

/** What the parts of a file that ask are compiled with. */
export interface ExchangeSetting {
  readonly auth: Auth;
  readonly charge: ChargeRule;
  readonly known: KnownNames;
  readonly clock: Clock;
  /** The place of the whole file. */
  readonly root: Place;
}

/** @throws DeclarationError */
export function compileOneRequest(file: RequestFile, source: SourceFile, setting: ExchangeSetting): Exchange {
  const { auth, charge, known, clock, root } = setting;
  const request = compileAuthenticated(file, source.origins, auth, known, root.in("request"));
  const viewOf = compileView(source.reply, looksAtBody(source));
  const judge = compileJudge(source, root);
  const accept = acceptOf(source.reply);

  return async (call) => {
    const reply = await ask(request, call, valuesOf(call), { auth, accept, free: charge.isFree(call.inputs) });
    // Each of these steps is bounded, and takes many milliseconds where a vendor means ill.
    const stretch = new Stretch(clock);
    const view = viewOf(reply);
    if (stretch.isLong) await stretch.end();
    const verdict = judge(view);
    if (!charge.isBilled(view, call.inputs)) reply.chargedAs("no");
    if (stretch.isLong) await stretch.end();
    return { reply, view, verdict, stretch };
  };
}
