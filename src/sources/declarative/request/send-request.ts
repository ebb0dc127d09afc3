import type { ClientTls, Http, Reply } from "../../../sdk/http.ts";
import { addressOf, type RenderedRequest } from "./render-request.ts";

/** Sends one request of the file. Statuses are not failures here: the file's rules come first. @throws Fault */
export type SendRequest = (request: RenderedRequest) => Promise<Reply>;

/** Every status that an answer with a meaning can have. A redirect that is not followed is none. */
const ANSWERS: readonly number[] = Array.from({ length: 200 }, (_, index) => 400 + index);

export function createSend(http: Http, tls: ClientTls | undefined, accept: string, free: boolean): SendRequest {
  return (request) =>
    http.request(request.method, addressOf(request), {
      headers: { accept, ...request.headers },
      body: request.body,
      answers: ANSWERS,
      redirects: request.redirects,
      free,
      tls,
    });
}
