import type { Static, TObject } from "typebox";
import type { ClientTls } from "../../../sdk/http.ts";
import type { SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import type { ReplyView } from "../expressions/expression.ts";
import { inHeader } from "../request/encodings.ts";
import type { RequestFile } from "../format/exchange-format.ts";
import type { Moments } from "../request/request-moment.ts";
import type { RenderedRequest, RequestPart, SendRequest } from "../request/render-request.ts";
import {
  fill,
  valueProblem,
  type Expression,
  type KnownNames,
  type Template,
  type TemplateValues,
} from "../request/template.ts";
import type { Challenge, ChallengeCache } from "./challenge-cache.ts";
import type { ReadyToken } from "./token-cache.ts";

/** One kind of authentication: its part of the file format, and its compile step. */
export interface AuthKind<Schema extends TObject> {
  /** Its property `kind` is the name of the kind. */
  readonly schema: Schema;
  /** Why a file cannot use this kind twice; absent if it can. */
  readonly once?: string;
  /** @throws DeclarationError */
  compile(file: Static<Schema>, setting: AuthSetting): CompiledAuth;
}

/** The result of compiling a kind of authentication: what it adds to requests, and what happens around them. */
export interface CompiledAuth {
  /** Adds to each request. A request that contains the kind's `value` is left as it is. */
  readonly step?: AuthStep;
  readonly value?: AuthValue;
  /** Adds templates to a request before it is compiled. @throws DeclarationError */
  readonly extend?: (request: RequestFile, place: DocumentLocation) => RequestFile;
  readonly tokens?: TokenExchange;
  readonly challenges?: ChallengeResponse;
  readonly tls?: (values: TemplateValues) => ClientTls;
}

/** Adds authentication to a request that is otherwise complete. */
export interface AuthStep {
  readonly headerNames?: readonly string[];
  readonly queryNames?: readonly string[];
  /** The parts of the request from which the step computes something. */
  readonly covers?: ReadonlySet<RequestPart>;
  /** @throws Fault that names the credential field that cannot be used */
  apply(request: RenderedRequest, values: TemplateValues): RenderedRequest;
}

/** A value that requests can contain under this name, such as `{{ signature }}`. */
export interface AuthValue {
  readonly name: string;
  /** The parts of the request from which the value is computed, without the members that contain the value. */
  readonly covers: ReadonlySet<RequestPart>;
  /** Computes the value. Absent: it is among the values of the request, such as the token of a login. @throws Fault */
  readonly make?: (request: RenderedRequest, values: TemplateValues) => string;
}

/** The answer to a reply 401 with challenges (RFC 9110, section 11). */
export interface ChallengeResponse {
  readonly cache: ChallengeCache;
  /** The challenge of a field `WWW-Authenticate` that can be answered; `null` without one. */
  read(field: string): Challenge | null;
  /** The challenge that a field `Authentication-Info` puts in place of this one; `null` without one. */
  next(challenge: Challenge, field: string): Challenge | null;
  /**
   * The value of `Authorization` for one request, which counts as a use of the challenge; `null` without a credential.
   * @throws Fault
   */
  respond(challenge: Challenge, request: RenderedRequest, values: TemplateValues): string | null;
}

/** A login call and its token, which requests use as `{{ token }}`. */
export interface TokenExchange {
  /** Returns a token for this owner, from the cache or by a login call. @throws Fault */
  obtain(owner: string | undefined, values: TemplateValues, call: SourceCall, send: SendRequest): Promise<ReadyToken>;
  /** Removes a token that the vendor refused from the cache. */
  drop(owner: string | undefined, values: TemplateValues, token: string): void;
}

/** What compiling a kind of authentication needs, besides its part of the file. */
export interface AuthSetting {
  readonly origins: readonly string[];
  readonly known: KnownNames;
  readonly place: DocumentLocation;
  readonly clock: Clock;
  readonly moments: Moments;
  /** Throws the failure that the file's `errors` recognise in a reply. */
  readonly failing: (view: ReplyView) => void;
}

export function withHeaders(request: RenderedRequest, headers: Readonly<Record<string, string>>): RenderedRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

/** A part of a file that names its kind. */
export type NamedKind = { readonly kind: string };

export type AnyAuthKind = AuthKind<TObject>;

/**
 * Returns the kind that a part of a file names. The part has already been checked against the schemas of these kinds.
 */
export function kindOf({ kind }: NamedKind, kinds: readonly AnyAuthKind[]): AnyAuthKind {
  return kinds.find((each) => kindName(each) === kind)!;
}

export function kindName({ schema }: AnyAuthKind): string {
  return (schema.properties["kind"] as unknown as { readonly const: string }).const;
}

/** Preserves the type of each kind's own schema in the list of kinds. */
export function authKind<Schema extends TObject>(kind: AuthKind<Schema>): AuthKind<Schema> {
  return kind;
}

export function inOneHeader(name: string, template: Template): AuthStep {
  return {
    headerNames: [name],
    apply(request, values) {
      const value = fill(template, values, inHeader);
      return value === undefined ? request : withHeaders(request, { [name]: value });
    },
  };
}

/** The fault for the first value in a template; for the credential as a whole if the template has no value. */
export function fieldProblem(template: Template, problem: string): Error {
  const expression = template.find((part): part is Expression => typeof part === "object");
  return valueProblem(expression ?? { root: "credentials", path: [] }, problem);
}
