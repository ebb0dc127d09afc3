import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type VerbSet, verbPath } from "../find-verbs.ts";
import type { GivenToVerbs, VerbNeeds } from "../needs.ts";
import type { LoginCodeStore, Operator, SessionStore } from "../ports.ts";
import { reportError } from "../report-error.ts";
import { includesRole } from "../roles.ts";
import { checkInput, isStreamed, runVerb, streamVerb } from "../run-verb.ts";
import type { TextStream } from "../verb.ts";
import { FairShare } from "../../terms/concurrency/fair-share.ts";
import type { OnEndedCall } from "../../terms/ended-call.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { causeOf } from "../../operate/run-log.ts";
import { wantsEvents } from "./event-stream.ts";
import { closeWithoutAccess } from "./close-without-access.ts";
import { createLiveEvents, type LiveNow } from "./live-event.ts";
import { createLiveStream, LIVE_PATH } from "./live-stream.ts";
import type { IdentityProvider } from "./identity-provider/identity-provider.ts";
import type { LoginKeys } from "./identity-provider/login-attempt.ts";
import type { ClaimSettings } from "./identity-provider/person-of-claims.ts";
import { createProviderLogin, type ProviderLoginParts } from "./identity-provider/provider-login.ts";
import { createLogin, type LoginParts } from "./login.ts";
import { readInput } from "./read-input.ts";
import { type ConsoleMode, type LoginWays, SESSION_ENDPOINTS, type SessionEndpoint } from "./session-endpoints.ts";
import { sendStream } from "./send-stream.ts";
import { createSessions, requireOwnPage } from "./sessions.ts";
import { allowedHosts, refuseForeign } from "./refuse-foreign.ts";
import { Refusal } from "./refusal.ts";
import { sendError, sendJson } from "./send-json.ts";
import { answerAtOnce, answerByEvents } from "./verb-answer.ts";
import { toEndpoint, type VerbEndpoint } from "./verb-endpoints.ts";

export interface AdminApiParts extends LoginParts {
  readonly store: LoginParts["store"] & ProviderLoginParts["store"];
  readonly sessions: SessionStore & LoginCodeStore;
  readonly console: ConsoleMode;
  /** `null` without an identity provider. */
  readonly provider: { readonly client: IdentityProvider; readonly claims: ClaimSettings } | null;
  /** Keys that authenticate unfinished logins with the provider. */
  readonly loginKeys: LoginKeys;
  /** The address of the client of a request. */
  addressOf(request: IncomingMessage): string;
  readonly verbs: VerbSet;
  /** The setting `admin_hosts`. */
  readonly hosts: readonly string[];
  /** The figures of the running service. */
  now(): LiveNow;
  /** How a person starts a command of this deployment on the service's machine. */
  readonly program: string;
  /**
   * The needs of verbs, from the running service. `note` takes the verb's remarks; `ended` is called for each finished
   * call of the runs that the verb makes.
   */
  needs(
    note: (sentence: string) => void,
    ended?: OnEndedCall,
  ): Partial<VerbNeeds> & Pick<VerbNeeds, "store" | "ledger" | "serviceState">;
}

export interface AdminApi {
  /** Answers a request whose path begins with `/api/`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Since the start. */
  failedLogins(): number;
  /** Accepts no more requests, and resolves when the running verbs have ended. */
  stop(): Promise<void>;
}

/**
 * Concurrent commands. They share a process with the runs, and more would be a mistake of a script. Operators share the
 * slots: one operator alone gets half.
 */
export const COMMANDS_MAX = 32;
/** Concurrent files, which take as long as their readers want. One operator alone gets two. */
export const STREAMS_MAX = 4;

const COMMANDS_BUSY = "Too many commands are running. Try again.";
const STREAMS_BUSY = "Too many files are being sent. Try again when one of yours has been read.";

/** The largest body of an unauthenticated request: a code, or the query that the identity provider sent back. */
export const UNAUTHENTICATED_BODY_BYTES_MAX = 65_536;

/**
 * The operator's verbs over HTTP: `POST /api/token/list` is `datarun token list --json`. The endpoints, their inputs and
 * who may use them are derived from the verbs, and the changes are recorded under the operator's name.
 */
export function createAdminApi(parts: AdminApiParts): AdminApi {
  const hosts = allowedHosts(parts.hosts);
  const login = createLogin(parts);
  const sessions = createSessions(parts);
  const { store, clock, provider: set, loginKeys: keys, addressOf } = parts;
  const provider =
    set && createProviderLogin({ provider: set.client, claims: set.claims, store, login, keys, addressOf, clock });
  const ways: LoginWays = { mode: parts.console, login, provider, sessions, program: parts.program };
  const live = createLiveStream({
    clock,
    event: createLiveEvents(parts.now, { ...parts.needs(() => {}), clock }),
    failed: (error) => parts.log.error({ event: "admin_request_failed", cause: causeOf(error) }),
  });
  const nameOfPath = new Map(parts.verbs.names.map((name) => [verbPath(name), name]));
  const activeRequests = new Set<Promise<unknown>>();
  const commands = new FairShare(COMMANDS_MAX);
  const streams = new FairShare(STREAMS_MAX);
  /** Concurrent texts, which may take long. */
  const texts = new Set<ServerResponse>();
  let isStopping = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseForeign(request.headers, hosts);
    const about = SESSION_ENDPOINTS.find(({ path }) => path === pathIn(request));
    if (about !== undefined) return answerSession(about, request, response);
    // A token needs no session, and a page with a session sends no token.
    const inSession = await sessionOf(request);
    const operator = inSession ?? (await login.operatorOf(request));
    if (pathIn(request) === LIVE_PATH) {
      if (request.method !== "GET")
        throw new Refusal("method_not_allowed", "Live events are requested with GET.", undefined, "GET");
      const { hasAccess } = inSession === null ? login : sessions;
      return live.add(operator.id, response, () => hasAccess(request));
    }
    const endpoint = await findEndpoint(request);
    requireRole(operator, endpoint);
    if (inSession !== null) requireChangesAllowed(endpoint);
    const input = await readInput(request);
    if (isStopping) throw new Refusal("unavailable", "The service is shutting down.");
    const isText = isStreamed(endpoint.verb);
    const byEvents = wantsEvents(request) && !isText;
    // A stream starts before the verb's outcome is known, so everything that can be refused is checked first.
    if (byEvents) checkInput(endpoint.verb, input);
    const slots = isText ? streams : commands;
    if (endpoint.verb.revokes === true) slots.add(operator.id);
    else if (!slots.take(operator.id)) throw new Refusal("unavailable", isText ? STREAMS_BUSY : COMMANDS_BUSY);
    const answering = byEvents ? answerByEvents(response, parts.clock) : answerAtOnce(response);
    const { note, onProgress, ended } = answering;
    const running = run(endpoint, input, {
      ...parts.needs(note, ended),
      clock: parts.clock,
      actor: { who: operator.name, via: "api" },
      note,
      onProgress,
    });
    // The command counts as running until its answer is sent or the client has disconnected.
    const over = Promise.allSettled([running, response.closed || once(response, "close")]);
    activeRequests.add(over);
    void over.then(() => {
      activeRequests.delete(over);
      slots.give(operator.id);
    });
    try {
      const answered = await running;
      if (!isText) return answering.result(JSON.stringify(answered));
      texts.add(response);
      const hasAccess = () => (inSession === null ? login.hasAccess(request) : sessions.isInUse(request));
      closeWithoutAccess(response, hasAccess, parts.clock);
      await sendStream(response, answered as TextStream, answering.notes);
    } catch (thrown) {
      const report = reportError(thrown);
      // The client sees only that the text breaks off, so the log has the reason.
      if (report.code === "internal" || (texts.has(response) && response.headersSent))
        parts.log.error({ event: "verb_failed", verb: endpoint.name, cause: causeOf(thrown) });
      answering.error(new Refusal(report.code, report.message, report.details));
    } finally {
      texts.delete(response);
    }
  }

  async function sessionOf(request: IncomingMessage): Promise<Operator | null> {
    if (parts.console === "off" || request.headers.authorization !== undefined) return null;
    return sessions.operatorOf(request);
  }

  function requireChangesAllowed({ name, verb }: VerbEndpoint): void {
    if (parts.console === "on" || !verb.changes) return;
    throw new Refusal(
      "forbidden",
      `The console is read-only here (the setting "console"), and "${name}" changes something. Use the command line, or send the request with an operator's token.`,
    );
  }

  async function answerSession(about: SessionEndpoint, request: IncomingMessage, response: ServerResponse) {
    if (parts.console === "off")
      throw new Refusal(
        "not_found",
        'The console is off here (the setting "console"), so logging in with a browser is not possible.',
      );
    requireOwnPage(request);
    requirePost(request);
    const input = about.input === undefined ? {} : await readInput(request, UNAUTHENTICATED_BODY_BYTES_MAX);
    if (about.input !== undefined) checkInput({ input: about.input }, input);
    const { value, cookies } = await about.answer(request, ways, input);
    sendJson(response, 200, value, [], cookies === undefined ? {} : { "Set-Cookie": cookies });
  }

  async function findEndpoint(request: IncomingMessage): Promise<VerbEndpoint> {
    const name = nameOfPath.get(pathIn(request));
    if (name === undefined) throw new Refusal("not_found", "There is no such command.");
    requirePost(request);
    const endpoint = await toEndpoint(name, parts.verbs);
    if (endpoint === null)
      throw new Refusal("not_found", `"${name}" works only in a terminal, because it reads or writes files there.`);
    return endpoint;
  }

  return {
    async handle(request, response) {
      try {
        await answer(request, response);
      } catch (thrown) {
        if (request.destroyed && !request.complete) return;
        const isOurs = thrown instanceof Refusal;
        const report = reportError(thrown);
        if (!isOurs && report.code === "internal")
          parts.log.error({ event: "admin_request_failed", cause: causeOf(thrown) });
        sendError(response, isOurs ? thrown : new Refusal(report.code, report.message, report.details));
      }
    },
    failedLogins: login.failed,
    async stop() {
      isStopping = true;
      live.close();
      for (const response of texts) response.destroy();
      await Promise.all(activeRequests);
      login.close();
      set?.client.close();
    },
  };
}

function run({ name, verb }: VerbEndpoint, input: JsonObject, given: GivenToVerbs): Promise<JsonObject | TextStream> {
  return isStreamed(verb) ? streamVerb(name, verb, input, given) : runVerb(name, verb, input, given);
}

function pathIn({ url = "" }: IncomingMessage): string {
  return url.split("?")[0]!;
}

function requirePost({ method }: IncomingMessage): void {
  if (method !== "POST") throw new Refusal("method_not_allowed", "Commands are sent with POST.", undefined, "POST");
}

function requireRole({ name, role }: Operator, endpoint: VerbEndpoint): void {
  if (includesRole(role, endpoint.verb.role)) return;
  throw new Refusal(
    "forbidden",
    `"${endpoint.name}" takes the role ${endpoint.verb.role}, and ${name} has the role ${role}.`,
  );
}
