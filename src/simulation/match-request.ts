import { isDeclaredOrigin } from "../terms/http/origins.ts";
import type { ReceivedRequest } from "./received-request.ts";
import type { RecordedRequest } from "./record-requests.ts";
import { formOf, isOfForm } from "./request-form.ts";

/**
 * The recorded requests of one case with the same method, path, query and body as a received request, in the order of
 * the case. If several cases match, the first with a record is used, else the first. Empty without a match.
 */
export function matchRequest(
  recorded: readonly RecordedRequest[],
  received: ReceivedRequest,
): readonly RecordedRequest[] {
  const form = formOf(received);
  const same = recorded.filter((each) => each.method === received.method && isOfForm(each.form, form));
  const chosen = same.find(hasRecord) ?? same[0];
  return same.filter((each) => each.case === chosen?.case && each.source === chosen.source);
}

/** The recorded requests to a host, or to a pattern of hosts that matches it. */
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
