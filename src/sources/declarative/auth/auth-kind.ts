import type { Static, TObject } from "typebox";
import type { ClientTls } from "../../../sdk/http.ts";
import type { Clock } from "../../../terms/clock.ts";
import type { Place } from "../format/read-document.ts";
import { inHeader } from "../request/encodings.ts";
import type { RenderedRequest, SendRequest } from "../request/render-request.ts";
import {
  fill,
  valueProblem,
  type Expression,
  type KnownNames,
  type Template,
  type Values,
} from "../request/template.ts";
import type { ReadyToken } from "./token-cache.ts";

/** One kind of authentication: what a file says of it, and what it then does. */
export interface AuthKind<Schema extends TObject> {
  /** Its property `kind` names it. */
  readonly schema: Schema;
  /** Why a file cannot have two of it, where it cannot. */
  readonly once?: string;
  /** @throws DeclarationError */
  compile(file: Static<Schema>, setting: AuthSetting): CompiledAuth;
}

/** What a kind comes to: what it adds to each request, a login call that goes ahead of it, a client certificate. */
export interface CompiledAuth {
  readonly step?: AuthStep;
  readonly tokens?: TokenExchange;
  readonly tls?: (values: Values) => ClientTls;
}

/** What is added to a request that is otherwise ready. */
export interface AuthStep {
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  /** @throws Fault that names the credential field which cannot be used */
  apply(request: RenderedRequest, values: Values): RenderedRequest;
}

/** A login call and what it yields: requests carry `{{ token }}`. */
export interface TokenExchange {
  /** A token of this owner, from the cache or by one login call. @throws Fault */
  obtain(owner: string | undefined, values: Values, send: SendRequest): Promise<ReadyToken>;
  /** The vendor did not take this token. */
  drop(owner: string | undefined, values: Values, token: string): void;
}

/** What the compile steps of authentication are given besides their part of the file. */
export interface AuthSetting {
  readonly origins: readonly string[];
  readonly known: KnownNames;
  readonly place: Place;
  readonly clock: Clock;
  readonly nonce: () => string;
}

export function withHeaders(request: RenderedRequest, headers: Readonly<Record<string, string>>): RenderedRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

/** A part of a file that says of which kind it is. */
export type NamedKind = { readonly kind: string };

export type AnyAuthKind = AuthKind<TObject>;

/** The kind that a part of a file names, which has been checked by the schemas of these kinds. */
export function kindOf({ kind }: NamedKind, kinds: readonly AnyAuthKind[]): AnyAuthKind {
  return kinds.find(({ schema }) => (schema.properties["kind"] as { const?: unknown }).const === kind)!;
}

/** Lets the list of kinds keep each one's own schema. */
export function authKind<Schema extends TObject>(kind: AuthKind<Schema>): AuthKind<Schema> {
  return kind;
}

export function inOneHeader(name: string, template: Template): AuthStep {
  return {
    headerNames: [name],
    queryNames: [],
    apply(request, values) {
      const value = fill(template, values, inHeader);
      return value === undefined ? request : withHeaders(request, { [name]: value });
    },
  };
}

/** The fault of a template's first value, or of the file where it has none. */
export function fieldProblem(template: Template, problem: string): Error {
  const expression = template.find((part): part is Expression => typeof part === "object");
  return valueProblem(expression ?? { root: "credentials", path: [] }, problem);
}
