import type { RequestFile } from "../format/exchange-format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import {
  compileRequest,
  withoutParameters,
  type RenderedRequest,
  type RequestPart,
  type RequestTarget,
} from "../request/render-request.ts";
import { namesIn, type KnownNames, type TemplateValues } from "../request/template.ts";
import type { AuthStep, AuthValue, CompiledAuth } from "./auth-kind.ts";

/** A request of a file with its authentication. */
export interface AuthenticatedRequest {
  /**
   * Renders without sending anything, to the target in place of the address of the file. @throws Fault that names the
   * field whose value cannot be sent
   */
  render(values: TemplateValues, target?: RequestTarget): RenderedRequest;
}

/**
 * Compiles a request and what each kind of authentication adds to it. A kind whose value the request contains adds
 * nothing else. Refuses header fields and parameters that are set twice. @throws DeclarationError
 */
export function compileAuthenticated(
  written: RequestFile,
  origins: readonly string[],
  kinds: readonly CompiledAuth[],
  known: KnownNames,
  place: DocumentLocation,
): AuthenticatedRequest {
  const file = kinds.reduce((request, { extend }) => extend?.(request, place) ?? request, written);
  if (file.body?.multipart !== undefined && kinds.some(coversBody)) {
    const hint = "sign the path and the inputs, or write the source in TypeScript";
    place
      .in("body", "multipart")
      .refuseKey("format.value", "auth signs the body, and a multipart body is no text", hint);
  }
  const offered = kinds.flatMap(({ value }) => (value === undefined ? [] : [value.name]));
  const names = Object.fromEntries(offered.map((name) => [name, null]));
  const request = compileRequest(file, origins, { ...known, ...names }, place);
  const used = offered.length === 0 ? new Set<string>() : namesIn(file, place);
  const values: AuthValue[] = [];
  const steps: AuthStep[] = [];
  for (const { step, value } of kinds) {
    if (value !== undefined && used.has(value.name)) values.push(value);
    else if (step !== undefined) steps.push(step);
    else if (value !== undefined) {
      const hint = `write {{ ${value.name} }} where it belongs, or give auth a header`;
      place.refuse("format.value", `this request does not contain its ${value.name}`, hint);
    }
  }
  assertDistinct(values, file, place);
  assertUnclaimed(steps, request, place);

  const added = new Set(steps.flatMap(({ queryNames = [] }) => queryNames));

  return {
    render(given, linked) {
      // A link may repeat a parameter that authentication adds again.
      const target = linked && { ...linked, query: withoutParameters(linked.query, added) };
      const known: Record<string, TemplateValues[string]> = { ...given };
      for (const value of values) {
        if (value.make !== undefined) known[value.name] = value.make(uncompleted(value, known, target), known);
      }
      return steps.reduce((ready, step) => step.apply(ready, known), request.render(known, undefined, target));
    },
  };

  /** The parts of the request that a value covers, without the value. */
  function uncompleted(
    { covers, name }: AuthValue,
    known: TemplateValues,
    target: RequestTarget | undefined,
  ): RenderedRequest {
    const without = { ...known, [name]: undefined };
    const rendered = request.render(without, covers, target);
    const adding = covers.has("query") ? steps.filter(({ queryNames }) => queryNames !== undefined) : [];
    return adding.reduce((ready, step) => step.apply(ready, without), rendered);
  }
}

function coversBody({ step, value }: CompiledAuth): boolean {
  return step?.covers?.has("body") === true || value?.covers.has("body") === true;
}

/** The parts whose text cannot be rendered without one of its values. */
const INSEPARABLE: readonly (readonly [RequestPart, (file: RequestFile) => unknown])[] = [
  ["path", ({ url }) => url],
  ["body", ({ body }) => body?.text],
];

function assertDistinct(values: readonly AuthValue[], file: RequestFile, place: DocumentLocation): void {
  const seen = new Set<string>();
  for (const { name, covers } of values) {
    if (seen.has(name)) {
      place.refuse(
        "request.duplicate",
        `{{ ${name} }} could be that of two kinds of auth`,
        "give one of them a header",
      );
    }
    seen.add(name);
    for (const [part, textOf] of INSEPARABLE) {
      if (!covers.has(part) || !namesIn(textOf(file), place).has(name)) continue;
      const problem = `the ${part} contains {{ ${name} }}, which is computed from the ${part}`;
      place.refuse("format.value", problem, `compute it from inputs, or put it elsewhere`);
    }
  }
}

function assertUnclaimed(
  steps: readonly AuthStep[],
  { headerNames, queryNames }: { readonly headerNames: ReadonlySet<string>; readonly queryNames: ReadonlySet<string> },
  place: DocumentLocation,
): void {
  const headers = new Set(headerNames);
  const parameters = new Set(queryNames);
  for (const step of steps) {
    for (const name of step.headerNames ?? []) claim(headers, name, "header");
    for (const name of step.queryNames ?? []) claim(parameters, name, "parameter");
  }

  function claim(taken: Set<string>, name: string, what: string): void {
    if (taken.has(name)) place.refuseKey("request.duplicate", `the ${what} "${name}" is also set by auth`);
    taken.add(name);
  }
}
