import { isDeepStrictEqual } from "node:util";
import { isDeclaredOrigin } from "./declared-origins.ts";
import type { ReceivedRequest } from "./received-request.ts";
import type { RecordedRequest } from "./record-requests.ts";

/**
 * The recorded request that a received one is most like, under the same host and by the same method: the same path and
 * query; else the same path; else a path of the same shape whose case has a record. `null`: nothing is known there.
 */
export function matchRequest(recorded: readonly RecordedRequest[], received: ReceivedRequest): RecordedRequest | null {
  const candidates = recorded.filter(({ method }) => method === received.method);
  const samePath = candidates.filter(({ path }) => samePlace(path, received.path));
  return (
    samePath.find(({ query }) => isDeepStrictEqual({ ...query }, { ...received.query })) ??
    samePath.find(hasRecord) ??
    samePath[0] ??
    candidates.filter(({ path }) => sameShape(path, received.path)).find(hasRecord) ??
    null
  );
}

/** Recorded requests to a host: its own, or those of a pattern that it falls under. */
export function requestsOf(
  recorded: readonly RecordedRequest[],
  host: string,
  declared: ReadonlyMap<string, readonly string[]>,
): readonly RecordedRequest[] {
  return recorded.filter(
    ({ origin, source }) => new URL(origin).host === host || patternsOf(declared.get(source), host, origin),
  );
}

function patternsOf(origins: readonly string[] | undefined, host: string, origin: string): boolean {
  const scheme = new URL(origin).protocol;
  const patterns = (origins ?? []).filter((declared) => declared.includes("*"));
  return isDeclaredOrigin(`${scheme}//${host}`, patterns);
}

function hasRecord({ case: each }: RecordedRequest): boolean {
  return "match" in each.expect && each.expect.match;
}

function samePlace(one: string, other: string): boolean {
  return decode(one) === decode(other);
}

/** As many segments, and the same ones but for the last and for those that hold digits: a key stands where a key stood. */
function sameShape(one: string, other: string): boolean {
  const [a, b] = [one.split("/"), other.split("/")];
  return (
    a.length === b.length && a.slice(0, -1).every((segment, index) => segment === b[index] || /[0-9]/.test(segment))
  );
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
