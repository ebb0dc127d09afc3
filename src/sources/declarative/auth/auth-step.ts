import type { Clock } from "../../../terms/clock.ts";
import type { Place } from "../format/read-document.ts";
import type { RenderedRequest } from "../request/render-request.ts";
import type { KnownNames, Values } from "../request/template.ts";

/** One kind of authentication, compiled: what it adds to a request that is otherwise ready. */
export interface AuthStep {
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  /** @throws Fault that names the credential field which cannot be used */
  apply(request: RenderedRequest, values: Values): RenderedRequest;
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
