import type { AddressInfo } from "node:net";
import type { Settings } from "../settings/settings.ts";
import { connectionsByDefault } from "./connections-limit.ts";
import { createApp } from "../http/app.ts";
import type { Authenticator, DropReason, EdgeObserver } from "../http/ports.ts";
import { createBodyChecks } from "../http/request-schema.ts";
import { startData } from "../http/routes/data.ts";
import { startFunc } from "../http/routes/func.ts";
import { statusBody, type Deployment } from "../http/routes/status.ts";
import { createEdge, PIPELINING } from "../http/server.ts";
import { heldBytesByDefault } from "./memory-limit.ts";
import { createAdminServer } from "../operate/admin-server.ts";
import type { Log } from "../operate/log.ts";
import { createMetrics } from "../operate/metrics.ts";
import { ownFields, ownWords, secretsOf } from "../operate/own-words.ts";
import { causeOf, createRunLog } from "../operate/run-log.ts";
import { createTally } from "../operate/tally.ts";
import { watchFiles } from "../operate/watch-files.ts";
import { createAdmission } from "../run/admission.ts";
import { callAdapter } from "../run/around/adapter.ts";
import { withBreaker } from "../run/around/breaker.ts";
import { compose } from "../run/around/compose.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { withSourceLimits } from "../run/around/limits.ts";
import { createDataRun } from "../run/data-run.ts";
import { RUN_BYTES_MAX } from "../run/envelope.ts";
import { createFunctionRun } from "../run/function-run.ts";
import type { CredentialFinder, Door, FunctionCatalog, Ledger, SourceCatalog } from "../run/ports.ts";
import { withMadeUpCredential } from "../simulation/with-made-up-credential.ts";
import { createArgument } from "../sources/argument.ts";
import { ByteBudget } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { FAULTS, type RequestFaultCode } from "../terms/fault.ts";
import { settledWithin } from "../terms/within.ts";

/** The parts a service is made of. `start.ts` makes the real ones; the tests replace the vendor's end and the clock. */
export interface ServiceParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly deployment: Deployment;
  readonly authenticator: Authenticator;
  readonly finder: CredentialFinder;
  readonly ledger: Ledger;
  readonly sources: SourceCatalog;
  readonly functions: FunctionCatalog & { close(): Promise<void> };
  readonly door: Door;
  readonly simulatedDoor: Door;
  /** Reasons why runs would be refused, for the readiness probe. */
  readonly notReady: () => readonly string[];
  /** What will stop it from taking runs before long. */
  readonly warnings: () => readonly string[];
  /** The words of errors that functions throw go to the log, at its level `debug`. */
  readonly tellsErrors: boolean;
  readonly gauges: Readonly<Record<string, { readonly help: string; readonly read: () => number }>>;
}

export interface Service {
  readonly url: string;
  readonly adminUrl: string;
  /** Stops accepting, lets what is under way finish within the grace, then closes what is left. Resolves when all is answered. */
  stop(graceMs: number): Promise<void>;
}

/** Puts the parts together, in the order a request meets them, and listens. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { settings, clock, log } = parts;
  const region = settings.region;
  const admission = createAdmission({
    runsMax: settings.limits.runs,
    runsPerOrganizationMax: settings.limits.runsPerOrganization,
  });
  const budget = new ByteBudget(settings.limits.heldBytes || heldBytesByDefault());
  const breaker = withBreaker(clock);
  const deadline = withDeadline(clock);
  const metrics = createMetrics({
    runsUnderWay: () => admission.running,
    isSource: (id) => parts.sources.find(id) !== undefined,
    gauges: {
      ...parts.gauges,
      held_bytes: {
        help: "Bytes of requests, replies and answers that are held in memory.",
        read: () => budget.heldBytes,
      },
      connections: { help: "Connections of clients that are open.", read: () => edge.openConnections() },
      connections_dropped: {
        help: "Connections of clients that were closed without an answer since the start, for want of places.",
        read: () => dropped,
      },
      breakers_open: { help: "Sources, by credential, that are not called for a while.", read: breaker.openCount },
    },
  });
  const observers = [createRunLog(log), metrics];

  // What happens around one source call, outermost first.
  const runSource = compose(
    [withInputs, withMadeUpCredential(withCredential(parts.finder, clock)), breaker, withSourceLimits(clock), deadline],
    callAdapter(
      createArgument({
        door: parts.door,
        simulatedDoor: parts.simulatedDoor,
        clock,
        log: (call, level, message, fields) => {
          const secrets = secretsOf(call.credential?.fields.reveal() ?? {});
          log[level](
            // Fields of the adapter's own come first: it must not say in another's name.
            {
              ...ownFields(fields, secrets),
              event: "source_log",
              transaction_id: call.run.transactionId,
              source: call.id,
            },
            ownWords(message, secrets),
          );
        },
      }),
    ),
  );
  const engine = { catalog: parts.sources, runSource, ledger: parts.ledger, observers, admission, clock, region };
  const runData = createDataRun(engine);
  const runFunction = createFunctionRun({
    ...engine,
    functions: parts.functions,
    log: (run, functionId, level, message) => {
      // The words of its errors may hold inputs: they are for its author, who has `datarun dev`.
      if (level === "debug" && !parts.tellsErrors) return;
      const fields = { event: "function_log", transaction_id: run.transactionId, function: functionId };
      log[level](fields, ownWords(message));
    },
  });

  let stopping = false;
  // What anybody can cause as often as he likes.
  const refusals = createTally<RequestFaultCode>(
    (code, count) => log[FAULTS[code].status >= 500 ? "error" : "info"]({ event: "refused", code, count }),
    clock,
  );
  const drops = createTally<DropReason | "no_files">(
    (reason, count) => log.warn({ event: "connections_dropped", reason, count }),
    clock,
  );
  const files = watchFiles(() => drops.note("no_files"), clock);
  let dropped = 0;
  const edgeObserver: EdgeObserver = {
    dropped(reason) {
      dropped += 1;
      drops.note(reason);
    },
    refused(path, fault) {
      metrics.refused(path, fault);
      const isOurs = fault.code === "request.unexpected";
      if (SEEN.has(fault.code) || (fault.row.status >= 500 && !isOurs)) refusals.note(fault.code as RequestFaultCode);
      log[isOurs ? "error" : "debug"]({
        event: "refused",
        // Any other is the caller's own words, of any length.
        path: PATHS.has(path) ? path : "(other)",
        code: fault.code,
        detail: fault.detail,
        ...(isOurs ? { cause: causeOf(fault.cause) } : {}),
      });
    },
  };
  const checks = createBodyChecks();
  const app = createApp({
    authenticator: parts.authenticator,
    bodyLimits: {
      bodyBytesMax: settings.limits.bodyBytes,
      depthMax: settings.limits.jsonDepth,
      keysPerObjectMax: settings.limits.keysPerObject,
    },
    overloadStatus: settings.overloadStatus as 500 | 503,
    data: { check: checks.data, start: (received, arrivedAt) => startData(received, arrivedAt, runData) },
    func: { check: checks.func, start: (received, arrivedAt) => startFunc(received, arrivedAt, runFunction) },
    statusBody: statusBody(parts.deployment),
    budget,
    heldBytesMax: 2 * settings.limits.bodyBytes + RUN_BYTES_MAX,
    clock,
    observer: edgeObserver,
    isStopping: () => stopping,
  });
  const edge = createEdge(
    app,
    {
      headerBytesMax: settings.limits.headerBytes,
      headersMax: settings.limits.headers,
      headersTimeoutMs: settings.limits.headersTimeoutMs,
      requestTimeoutMs: settings.limits.requestTimeoutMs,
      keepAliveTimeoutMs: settings.limits.keepAliveMs,
      writeTimeoutMs: settings.limits.writeTimeoutMs,
      ...PIPELINING,
      bodyBytesMax: settings.limits.bodyBytes,
      connectionsMax: settings.limits.connections || connectionsByDefault(),
    },
    edgeObserver,
  );
  const notReady = () => (stopping ? ["shutting down"] : parts.notReady());
  const admin = createAdminServer({ metrics, notReady, warnings: parts.warnings });
  admin.server.maxConnections = ADMIN_CONNECTIONS_MAX;

  await new Promise<void>((resolve, reject) => {
    edge.once("error", reject);
    edge.listen(settings.port, settings.host, resolve);
  });
  const adminUrl = await admin.listen({ port: settings.adminPort, host: settings.adminHost });

  return {
    url: urlOf(edge.address() as AddressInfo),
    adminUrl,
    async stop(graceMs) {
      stopping = true;
      const endAt = clock.now() + graceMs;
      const closed = edge.stopListening();
      const idle = admission.stop();
      if (!(await settledWithin(clock, graceMs, idle))) {
        deadline.endAll();
        if (!(await settledWithin(clock, ANSWER_LEFT_MS, idle))) await parts.functions.close();
        await settledWithin(clock, ANSWER_LEFT_MS, idle);
      }
      // The last answer is begun in this turn. One that a client is slow to read has what is left of the grace.
      await new Promise(setImmediate);
      await settledWithin(clock, Math.max(0, endAt - clock.now()), edge.whenWritten());
      edge.closeIdleConnections();
      if (!(await settledWithin(clock, CLOSE_LEFT_MS, closed))) edge.closeAllConnections();
      await Promise.all([closed, admin.close()]);
      files.close();
      for (const tally of [refusals, drops]) tally.close();
    },
  };
}

const PATHS = new Set(["/data", "/func", "/status"]);
/** Refusals by which an operator sees that somebody is trying, or has got something wrong; with all of the service's own. */
const SEEN: ReadonlySet<string> = new Set(["request.unauthenticated"]);

/** Probes and scrapers; whoever else finds the port must not take the files of the service. */
const ADMIN_CONNECTIONS_MAX = 64;

/** After the grace: time to answer what was ended, and to write answers out. */
const ANSWER_LEFT_MS = 1_000;
const CLOSE_LEFT_MS = 500;

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
