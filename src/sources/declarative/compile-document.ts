import { randomUUID } from "node:crypto";
import type { Reply } from "../../sdk/http.ts";
import {
  credentialScope,
  NoMatch,
  type SourceAnswer,
  type SourceCall,
  type SourceDeclaration,
} from "../../sdk/source.ts";
import { systemClock, type Clock } from "../../terms/clock.ts";
import type { Json, JsonObject } from "../../terms/json.ts";
import { parseOrigin } from "../../terms/origins.ts";
import { Stretch } from "../../terms/stretch.ts";
import { compileAuth, type Auth } from "./auth/compile-auth.ts";
import { compileCharge } from "./reply/judge-reply.ts";
import { checkAuthorSchema, checkFormat, compileWhenNeeded } from "./format/check-format.ts";
import { declaredNames } from "../../terms/schema-names.ts";
import { durationMs } from "../../terms/durations.ts";
import type { RequestFile } from "./format/exchange-format.ts";
import { RECIPE, type SourceFile } from "./format/format.ts";
import { compileErrors, compileJudge, faultOfStatus, looksAtBody } from "./reply/judge-reply.ts";
import { assertFits, compileMap } from "./reply/map-record.ts";
import { compilePredicate } from "./expressions/expression.ts";
import type { Place } from "./format/read-document.ts";
import { compileRequest, createSend, type RequestTemplate } from "./request/render-request.ts";
import type { KnownNames, Values } from "./request/template.ts";
import { compileView } from "./reply/view-reply.ts";

export interface DeclarativeOptions {
  readonly clock?: Clock;
  /** What makes a signature's nonce. */
  readonly nonce?: () => string;
}

/**
 * Compiles a document to the very object that `defineSource` takes. All that can be wrong with it is found here; what is
 * left for a call is the values and the vendor's answer. @throws DeclarationError
 */
export function compileDocument(value: Json, root: Place, options: DeclarativeOptions = {}): SourceDeclaration {
  const source = checkFormat(value, root);
  checkOrigins(source.origins, root.in("origins"));
  for (const name of ["inputs", "credentials", "output"] as const) {
    if (source[name] !== undefined) checkAuthorSchema(source[name], root.in(name));
  }
  return { ...headOf(source), ...compileRecipe(source, root, options) };
}

/**
 * The same for a document that has been compiled before, by this code: nothing can be wrong with it, so its recipe is
 * compiled when it is first called for, since a catalog is loaded whole and used in part.
 */
export function compileKnown(value: Json): SourceDeclaration {
  const source = value as unknown as SourceFile;
  let compiled: Recipe | undefined;
  const recipe = () => (compiled ??= compileRecipe(source, knownPlace([]), {}));
  return {
    ...headOf(source),
    ...(source.verify === undefined ? {} : { verify: (call) => recipe().verify!(call) }),
    run: (call) => recipe().run(call),
  };
}

/** Where a file stood that is not at hand any more, and in which nothing can be wrong. */
function knownPlace(path: Place["path"]): Place {
  return { path, in: (...names) => knownPlace([...path, ...names]), refuse: refuseKnown, refuseKey: refuseKnown };
}

function refuseKnown(_code: string, problem: string): never {
  throw new RangeError(`a document that was compiled before cannot be compiled: ${problem}`);
}

type Recipe = Pick<SourceDeclaration, "run" | "verify">;

/** What a source does, from how its file says to ask and what answers mean. */
function compileRecipe(source: SourceFile, root: Place, options: DeclarativeOptions): Recipe {
  const setting = {
    origins: source.origins,
    known: namesIn(source),
    place: root.in("auth"),
    clock: options.clock ?? systemClock,
    nonce: options.nonce ?? randomUUID,
  };
  const auth = compileAuth(source.auth, setting);
  const run = compileRun(source, auth, setting, root);
  const verify = compileVerify(source, auth, setting.known, root.in("verify"));
  return { ...(verify === undefined ? {} : { verify }), run };
}

/** What is compiled; the other keys stand in the declaration as they stand in the file. */
const COMPILED: ReadonlySet<string> = new Set(["$schema", "limits", ...RECIPE]);

/** The rest of the file, `x-` annotations included. */
function headOf(source: SourceFile): Omit<SourceDeclaration, keyof Recipe> {
  const head = Object.fromEntries(Object.entries(source).filter(([name]) => !COMPILED.has(name)));
  return { ...head, ...(source.limits === undefined ? {} : { limits: limitsOf(source.limits) }) } as SourceDeclaration;
}

function limitsOf({ rate, ...limits }: NonNullable<SourceFile["limits"]>): SourceDeclaration["limits"] {
  if (rate === undefined) return limits;
  return { ...limits, rate: rate.map(({ every, ...row }) => ({ ...row, every_ms: durationMs(every) })) };
}

function namesIn(source: SourceFile): KnownNames {
  return {
    inputs: declaredNames(source.inputs),
    credentials: declaredNames(source.credentials ?? {}),
    context: null,
    region: null,
  };
}

function compileRun(
  source: SourceFile,
  auth: Auth,
  { known, clock }: { readonly known: KnownNames; readonly clock: Clock },
  root: Place,
) {
  const request = compileAuthenticated(source.request, source.origins, auth, known, root.in("request"));
  const viewOf = compileView(source.reply, looksAtBody(source));
  const judge = compileJudge(source, root);
  const map = source.map === undefined ? undefined : compileMap(source.map, root.in("map"));
  const nothing =
    source.map_no_record === undefined ? undefined : compileMap(source.map_no_record, root.in("map_no_record"));
  const fits = source.output === undefined ? undefined : compileWhenNeeded(source.output);
  if (map === undefined && source.reply?.format === "xml") {
    root.refuse("format.missing_key", 'an XML reply needs "map"', "only JSON can be returned unchanged");
  }
  const accept = acceptOf(source);
  const charge = compileCharge(source.charge, declaredNames(source.inputs), root.in("charge"));

  return async (call: SourceCall): Promise<SourceAnswer> => {
    const reply = await ask(request, auth, call, accept, charge.isFree(call.inputs));
    // Each of these steps is bounded, and takes many milliseconds where a vendor means ill.
    const stretch = new Stretch(clock);
    const view = viewOf(reply);
    if (stretch.isLong) await stretch.end();
    const verdict = judge(view);
    if (!charge.isBilled(view, call.inputs)) reply.chargedAs("no");
    if (stretch.isLong) await stretch.end();
    if (verdict === "no_record") return nothing === undefined ? null : new NoMatch(nothing(view));
    const record = map === undefined ? view.body : map(view);
    if (stretch.isLong) await stretch.end();
    if (fits !== undefined) await assertFits(fits(), record, stretch);
    if (stretch.isLong) await stretch.end();
    return map === undefined ? reply : (record as JsonObject);
  };
}

/** Builds the whole request before anything is sent, asks once, and once more with a new token if the first was refused. */
async function ask(
  request: RequestTemplate,
  auth: Auth,
  call: SourceCall,
  accept: string,
  free: boolean,
): Promise<Reply> {
  const values = valuesOf(call);
  const { http } = call;
  const send = createSend(http, auth.tls?.(values), accept, free);
  const { tokens } = auth;
  if (tokens === undefined) return send(authenticate(request, auth, values));
  // With any token, to see that the rest can be sent before a login call is made for it.
  authenticate(request, auth, { ...values, token: "-" });
  const owner = call[credentialScope];
  const login = createSend(http, auth.tls?.(values), accept, true);
  const { token, fromCache } = await tokens.obtain(owner, values, login);
  const reply = await send(authenticate(request, auth, { ...values, token }));
  // To a token that was kept, 403 may be said as 401 is. It may as well be meant: the next call finds out, this one does not.
  if (reply.status === 401 || (reply.status === 403 && fromCache)) tokens.drop(owner, values, token);
  if (reply.status !== 401) return reply;
  reply.chargedAs("no");
  const renewed = await tokens.obtain(owner, values, login);
  return send(authenticate(request, auth, { ...values, token: renewed.token }));
}

function authenticate(request: RequestTemplate, auth: Auth, values: Values) {
  return auth.steps.reduce((ready, step) => step.apply(ready, values), request.render(values));
}

function valuesOf(call: Pick<SourceCall, "inputs" | "credentials" | "context" | "region">): Values {
  return { inputs: call.inputs, credentials: call.credentials, context: call.context, region: call.region };
}

function compileVerify(source: SourceFile, auth: Auth, known: KnownNames, place: Place) {
  const { verify } = source;
  if (verify === undefined) return undefined;
  const { inputs: _, ...lasting } = known;
  const request = compileAuthenticated(verify.request, source.origins, auth, lasting, place.in("request"));
  const ok = verify.ok === undefined ? undefined : compilePredicate(verify.ok, place.in("ok"));
  const failing = compileErrors(source.errors, place);
  const viewOf = compileView(source.reply);
  return async (call: SourceCall): Promise<boolean> => {
    const view = viewOf(await ask(request, auth, call, acceptOf(source), true));
    if (ok?.(view) === true) return true;
    failing(view);
    const fault = faultOfStatus(view.status);
    if (fault !== null) throw fault;
    return ok === undefined;
  };
}

/** The request of a part of the file, seen to share no header and no parameter with what authentication adds. */
function compileAuthenticated(
  file: RequestFile,
  origins: readonly string[],
  auth: Auth,
  known: KnownNames,
  place: Place,
): RequestTemplate {
  const request = compileRequest(file, origins, known, place);
  const headers = new Set(request.headerNames);
  const parameters = new Set(request.queryNames);
  for (const step of auth.steps) {
    for (const name of step.headerNames) claim(headers, name, "header");
    for (const name of step.queryNames) claim(parameters, name, "parameter");
  }
  return request;

  function claim(taken: Set<string>, name: string, what: string): void {
    if (taken.has(name)) place.refuseKey("request.duplicate", `the ${what} "${name}" is also set by auth`);
    taken.add(name);
  }
}

function acceptOf(source: SourceFile): string {
  return source.reply?.format === "xml" ? "application/xml, text/xml" : "application/json";
}

function checkOrigins(origins: readonly string[], place: Place): void {
  for (const [index, origin] of origins.entries()) {
    if (parseOrigin(origin) !== null) continue;
    place
      .in(index)
      .refuse("url.origin", "an origin is scheme, host and perhaps port", "write https://api.vendor.example");
  }
}
