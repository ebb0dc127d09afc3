import { randomUUID } from "node:crypto";
import {
  checkSteps,
  asksAgain,
  billedRequestsMax,
  listPaths,
  NoMatch,
  type SourceAnswer,
  type SourceCall,
  type SourceDeclaration,
} from "../../sdk/source.ts";
import { isLargeSchema } from "../../terms/schema/schema-parts.ts";
import { systemClock, type Clock } from "../../terms/time/clock.ts";
import { durationMs } from "../../terms/time/durations.ts";
import type { Json, JsonObject } from "../../terms/json/json.ts";
import { parseOrigin } from "../../terms/http/origins.ts";
import { declaredNames } from "../../terms/schema/schema-names.ts";
import { compileAuthenticated } from "./auth/authenticated-request.ts";
import { compileAuth } from "./auth/compile-auth.ts";
import { ask, valuesOf } from "./exchange/send-and-judge.ts";
import { namesAfter } from "./exchange/compile-steps.ts";
import { compileOneRequest, type AskVendor, type ExchangeSetting } from "./exchange/one-request.ts";
import { ORDER_INPUT } from "./exchange/resume.ts";
import { compileSteps } from "./exchange/steps.ts";
import { ANSWER_NAMES, compilePredicate } from "./expressions/expression.ts";
import { checkAuthorSchema, checkFormat, compileWhenNeeded } from "./format/check-format.ts";
import { RECIPE, type SourceDeclarationFile } from "./format/format.ts";
import type { DocumentLocation } from "./format/read-document.ts";
import { compileCharge, isTable, modelOfTable } from "./reply/compile-charge.ts";
import { compileErrors, faultOfStatus } from "./reply/judge-reply.ts";
import { assertFits, compileMap } from "./reply/map-record.ts";
import { acceptOf, assertReading, compileView } from "./reply/view-reply.ts";
import { FREE } from "./request/render-request.ts";
import { createMoments } from "./request/request-moment.ts";
import { MOMENT_NAMES, type KnownNames } from "./request/template.ts";

export interface DeclarativeOptions {
  readonly clock?: Clock;
  /** Creates nonces and request ids. */
  readonly nonce?: () => string;
}

/**
 * Compiles a document into the object that `defineSource` takes. Compiling reports all mistakes of the file; a later
 * call can only fail because of its values or the vendor's reply. @throws DeclarationError
 */
export function compileDocument(
  value: Json,
  root: DocumentLocation,
  options: DeclarativeOptions = {},
): SourceDeclaration {
  const source = checkFormat(value, root);
  checkOrigins(source.origins, root.in("origins"));
  for (const name of ["inputs", "credentials", "output"] as const) {
    if (source[name] !== undefined) checkAuthorSchema(source[name], root.in(name));
  }
  return { ...headOf(source), ...compileRecipe(source, root, options) };
}

/**
 * Like `compileDocument`, for a document that the same code has compiled before. The document is correct, so it is
 * compiled at the first call: a whole catalog is loaded, but few of its sources are used.
 */
export function compileKnown(value: Json): SourceDeclaration {
  const source = value as unknown as SourceDeclarationFile;
  let compiled: Recipe | undefined;
  const recipe = () => (compiled ??= compileRecipe(source, knownPlace([]), {}));
  // At the first call, compiling a large schema would block other calls.
  if (source.output !== undefined && isLargeSchema(source.output)) recipe();
  return {
    ...headOf(source),
    ...(source.verify === undefined ? {} : { verify: (call) => recipe().verify!(call) }),
    run: (call) => recipe().run(call),
  };
}

/**
 * A `Place` in a document that is known to be correct, so that nothing is refused. The text of the file is not
 * available.
 */
function knownPlace(path: DocumentLocation["path"]): DocumentLocation {
  return { path, in: (...names) => knownPlace([...path, ...names]), refuse: refuseKnown, refuseKey: refuseKnown };
}

function refuseKnown(_code: string, problem: string): never {
  throw new RangeError(`a document that was compiled before cannot be compiled: ${problem}`);
}

type Recipe = Pick<SourceDeclaration, "run" | "verify">;

/** Compiles a source's requests and the rules for its replies. */
function compileRecipe(source: SourceDeclarationFile, root: DocumentLocation, options: DeclarativeOptions): Recipe {
  const { origins } = source;
  const clock = options.clock ?? systemClock;
  const known = namesIn(source);
  const moments = createMoments(clock, options.nonce ?? randomUUID);
  const failing = compileErrors(source.errors, root.in("errors"));
  const auth = compileAuth(source.auth, { origins, known, place: root.in("auth"), clock, moments, failing });
  assertReading(source.reply, root.in("reply"));
  const charge = compileCharge(source.charge, declaredNames(source.inputs), root.in("charge"));
  const setting = { auth, charge, known, clock, root };
  const run = compileRun(source, setting);
  const verify = compileVerify(source, setting);
  return { ...(verify === undefined ? {} : { verify }), run };
}

/** Keys that are compiled. All others become part of the declaration unchanged. */
const COMPILED: ReadonlySet<string> = new Set(["$schema", "limits", ...RECIPE]);

/** The declaration's keys that are not compiled, including `x-` annotations. */
function headOf(source: SourceDeclarationFile): Omit<SourceDeclaration, keyof Recipe> {
  const head = Object.fromEntries(Object.entries(source).filter(([name]) => !COMPILED.has(name)));
  const { charge, limits, reply, resume, steps } = source;
  const lists = [reply, ...(steps ?? []).map((step) => step.reply)].flatMap((reading) => reading?.lists ?? []);
  return {
    ...head,
    ...(limits === undefined ? {} : { limits: limitsOf(limits) }),
    ...(resume === undefined ? {} : { resume: { input: resume.input ?? ORDER_INPUT } }),
    ...(steps?.some(({ poll }) => poll !== undefined) === true ? { [asksAgain]: true } : {}),
    ...(steps === undefined ? {} : { [billedRequestsMax]: billedRequestsIn(steps) }),
    ...(lists.length === 0 ? {} : { [listPaths]: lists }),
    ...(reply?.lenient === undefined ? {} : { reply: { lenient: reply.lenient } }),
    ...(charge === undefined || !isTable(charge) ? {} : { charge: { model: modelOfTable(charge), rows: charge } }),
  } as unknown as SourceDeclaration;
}

function billedRequestsIn(steps: NonNullable<SourceDeclarationFile["steps"]>): number {
  return steps.reduce((sum, { free, repeat }) => sum + (free === true ? 0 : (repeat?.max ?? 1)), 0);
}

function limitsOf({ rate, ...limits }: NonNullable<SourceDeclarationFile["limits"]>): SourceDeclaration["limits"] {
  if (rate === undefined) return limits;
  return { ...limits, rate: rate.map(({ every, ...row }) => ({ ...row, every_ms: durationMs(every) })) };
}

function namesIn(source: SourceDeclarationFile): KnownNames {
  return {
    inputs: declaredNames(source.inputs),
    credentials: declaredNames(source.credentials ?? {}),
    context: null,
    region: null,
    ...MOMENT_NAMES,
  };
}

function compileRun(source: SourceDeclarationFile, setting: ExchangeSetting) {
  const { root } = setting;
  const exchange = compileExchange(source, setting);
  const names = source.steps === undefined ? ANSWER_NAMES : namesAfter(source.steps);
  const map = source.map === undefined ? undefined : compileMap(source.map, root.in("map"), names);
  const nothing =
    source.map_no_record === undefined ? undefined : compileMap(source.map_no_record, root.in("map_no_record"), names);
  const { output } = source;
  const fits = output === undefined ? undefined : compileWhenNeeded(output);
  const { format = "json" } = source.steps?.at(-1)?.reply ?? source.reply ?? {};
  if (map === undefined && format !== "json") {
    const name = format === "xml" || format === "csv" ? format.toUpperCase() : format;
    root.refuse("format.missing_key", `a reply in ${name} needs "map"`, "only JSON can be returned unchanged");
  }

  return async (call: SourceCall): Promise<SourceAnswer> => {
    const { reply, view, verdict } = await exchange(call);
    if (verdict === "no_record") return nothing === undefined ? null : new NoMatch(nothing(view));
    const record = map === undefined ? view.body : map(view);
    if (fits !== undefined) assertFits(fits(), output!, record, call[checkSteps]);
    return map === undefined ? reply : (record as JsonObject);
  };
}

function compileExchange(source: SourceDeclarationFile, setting: ExchangeSetting): AskVendor {
  const { request, steps } = source;
  const { root } = setting;
  if (steps === undefined) {
    if (source.resume !== undefined)
      root
        .in("resume")
        .refuseKey("format.value", "there are no steps to resume", "resume belongs to a source with steps");
    if (request !== undefined) return compileOneRequest(request, source, setting);
    return root.refuse("format.missing_key", 'a source needs the key "request"', 'or "steps", for several requests');
  }
  if (request === undefined) return compileSteps(steps, source, setting);
  return root.in("request").refuseKey("request.duplicate", "a source has a request or steps", "make it a step");
}

function compileVerify(source: SourceDeclarationFile, { auth, known, root }: ExchangeSetting) {
  const { verify } = source;
  if (verify === undefined) return undefined;
  const place = root.in("verify");
  const { inputs: _, ...lasting } = known;
  const request = compileAuthenticated(verify.request, source.origins, auth.kinds, lasting, place.in("request"));
  const ok = verify.ok === undefined ? undefined : compilePredicate(verify.ok, place.in("ok"));
  const failing = compileErrors(source.errors, root.in("errors"));
  const viewOf = compileView(source.reply);
  const accept = acceptOf(source.reply);
  return async (call: SourceCall): Promise<boolean> => {
    // A cached token would only show that the credential was valid earlier.
    const asking = { auth, accept, cost: FREE, logsInAnew: true };
    return ask(request, call, valuesOf(call), asking, (reply) => {
      const view = viewOf(reply);
      if (ok?.(view) === true) return true;
      failing(view);
      const fault = faultOfStatus(view.status);
      if (fault !== null) throw fault;
      return ok === undefined;
    });
  };
}

function checkOrigins(origins: readonly string[], place: DocumentLocation): void {
  for (const [index, origin] of origins.entries()) {
    if (parseOrigin(origin) !== null) continue;
    place
      .in(index)
      .refuse("url.origin", "an origin is scheme, host and perhaps port", "write https://api.vendor.example");
  }
}
