import { withoutAuthorFields, withoutBodyFields } from "./header-fields.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { VendorReply } from "./reply.ts";
import type { Address } from "./source-addresses.ts";
import { contractFault } from "./vendor-fault.ts";

/**
 * The request a redirect asks for (RFC 9110, 15.4). On the way to another origin it loses everything that could be a
 * credential, and a request with a body does not go there at all.
 * @throws Fault `source.contract` when it cannot be followed
 */
export function followRedirect(request: OutgoingRequest, reply: VendorReply): OutgoingRequest {
  const url = readLocation(reply.headers["location"], request.url);
  const leaves = url.origin !== request.url.origin;
  const plain = request.method === "GET" || request.method === "HEAD";
  const becomesGet = !plain && (reply.status === 303 || (request.method === "POST" && reply.status <= 302));
  if (leaves && !plain && !becomesGet) throw contractFault("it redirects a request with a body to another origin");

  const fields = leaves ? withoutAuthorFields(request.fields) : request.fields;
  return {
    url,
    method: becomesGet ? "GET" : request.method,
    path: url.pathname + url.search,
    fields: becomesGet ? withoutBodyFields(fields) : fields,
    body: becomesGet || leaves ? null : request.body,
    tls: leaves ? undefined : request.tls,
  };
}

function readLocation(location: string | undefined, base: Address): URL {
  const url =
    location === undefined || location === "" ? null : URL.parse(location, base.origin + base.pathname + base.search);
  const isUsable =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.href.length <= LOCATION_CHARACTERS_MAX;
  if (!isUsable) throw contractFault("it redirects to no usable address");
  return url;
}

const LOCATION_CHARACTERS_MAX = 16 * 1024;
