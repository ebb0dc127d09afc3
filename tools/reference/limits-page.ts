import { STARTED_MAX } from "../../src/run/middleware/started-limits.ts";
import { ACCESS_LIMITS, WORKFLOW_LOOKUP_MS_MIN } from "../../src/access/authenticate.ts";
import { IDLE_CONNECTIONS_MAX, VENDOR_SOCKETS_MAX } from "../../src/composition/default-limits.ts";
import type { SettingKey } from "../../src/settings/settings.ts";
import { SETTINGS, type Setting } from "../../src/settings/table.ts";
import { LARGE_RUNS_MB, WAITING_PER_ORGANIZATION } from "../../src/functions/pool/schedule.ts";
import { SOURCES_PER_RUN_MAX } from "../../src/http/parse-body.ts";
import { piecesMax } from "../../src/terms/json/joined-bytes.ts";
import { UNAUTHENTICATED_BODIES_MAX } from "../../src/http/app.ts";
import { HEADER_BYTES_MAX, HEADER_FIELDS_MAX, PIPELINED_MAX } from "../../src/http/server.ts";
import { SMALL_BODY_BYTES } from "../../src/http/unauthenticated-bodies.ts";
import { LEDGER_LIMITS } from "../../src/ledger/limits.ts";
import { DEFAULT_LIMITS } from "../../src/outbound/outbound-limits.ts";
import { BYTES_PER_PIECE, PIECES_FREE } from "../../src/outbound/exchange/reply-intake.ts";
import { EXTENSIONS_BYTES_MAX, SIZE_DIGITS_MAX } from "../../src/outbound/wire/chunked-body.ts";
import { FIELDS_MAX } from "../../src/outbound/wire/reply-head.ts";
import { INTERIM_MAX } from "../../src/outbound/wire/reply-parser.ts";
import { REDIRECTS_MAX } from "../../src/outbound/exchange/outgoing-request.ts";
import { BREAKER_LIMITS } from "../../src/run/middleware/breaker.ts";
import { LINES_MAX } from "../../src/operate/line-limit.ts";
import { CALLS_QUOTA, MESSAGES_QUOTA } from "../../src/operate/log-quota.ts";
import { CALLS_MAX, UNKNOWN_MAX } from "../../src/operate/run-log.ts";
import { ADMIN_CONNECTIONS_MAX, HEAD_MS, UNREAD_MS } from "../../src/operate/admin-server.ts";
import { API_LINES_MAX } from "../../src/admin/invoice/compare-with-ledger.ts";
import { SETTLED_AT_ONCE, SETTLED_AT_ONCE_MAX } from "../../src/admin/settle-charges.ts";
import { COMMANDS_MAX, UNAUTHENTICATED_BODY_BYTES_MAX, STREAMS_MAX } from "../../src/admin/http/admin-api.ts";
import { FAILED_MS, FAILED_WAITING_MAX } from "../../src/admin/http/login.ts";
import { BODY_BYTES_MAX } from "../../src/admin/http/read-input.ts";
import { IDLE_MS, SESSION_MS } from "../../src/admin/http/sessions.ts";
import { OUTPUT_BYTES_MAX, OUTPUT_DEPTH_MAX } from "../../src/run/collect.ts";
import { ANSWER_BYTES_MAX, MESSAGE_CHARS_MAX, RUN_BYTES_MAX } from "../../src/run/envelope.ts";
import { REPLIES_BYTES_MAX } from "../../src/run/reply-memory-gate.ts";
import { TIMEOUT_MS_DEFAULT } from "../../src/sources/check-declaration.ts";
import { EXPRESSION_STEPS_MAX } from "../../src/sources/declarative/expressions/evaluate.ts";
import { XML_NAMES_MAX, XML_VALUES_MAX } from "../../src/terms/xml/parse-xml.ts";
import { XML_BYTES_MAX } from "../../src/terms/xml/read-xml.ts";
import { LOOKUP_MS_MAX } from "../../src/storage/answer-in-time.ts";
import { ENTRIES_MAX, FILTERS, SLOW_ENTRIES_MAX } from "../../src/sources/declarative/request/filters.ts";
import { CHECK_STEPS_MAX, RUN_CHECK_STEPS_MAX } from "../../src/terms/schema/author-schemas.ts";
import { VENDOR_FAILED } from "../../src/terms/fault.ts";
import { CLIENT_REQUEST_ID_CHARS_MAX, ID_CHARS_MAX } from "../../src/terms/ids.ts";
import { JSON_LIMITS, JSON_VALUES_MAX } from "../../src/terms/json/json.ts";
import { TARGET_CHARACTERS_MAX } from "../../src/terms/http/request-target.ts";
import { CALL_MS_MAX } from "../../src/terms/time/times.ts";
import { code, generated, page, table, type Page } from "./markdown.ts";

/** Every limit with its number, imported from the file that defines it. */
export function limitsPage(): Page {
  return page(
    "docs/reference/limits.md",
    generated("the limits in the code"),
    "# Limits",
    "Limits with a key are [settings](configuration.md); the others are fixed. *Fails* is said of one source, or of a function.",
    "## Requests",
    rows([
      [
        "request body",
        "limits.body_bytes",
        "422; as much again is read and discarded, for up to 1 s, and the connection is closed",
      ],
      [
        "chunks of a request body",
        `${count(piecesMax(bodyBytes))}: one for each 128 bytes of the limit, at least 1,024`,
        "422",
      ],
      ["extensions of one chunk", bytes(16_384), "400"],
      [
        "memory for a parsed body",
        "counts four times its bytes in `limits.expert.held_bytes`",
        "500 `overloaded`, before anything is run",
      ],
      [
        "bodies of callers that are not authenticated yet",
        "an eighth of `limits.expert.held_bytes` together",
        "500 `overloaded`",
      ],
      [
        `of these, bodies of more than ${bytes(SMALL_BODY_BYTES)} or in chunks`,
        `${UNAUTHENTICATED_BODIES_MAX} at once, and fewer if they do not fit into half of that memory`,
        "further ones wait unread, within the time for the whole request",
      ],
      ["nesting of JSON", count(JSON_LIMITS.depthMax), "422"],
      ["members of one JSON object", count(JSON_LIMITS.keysPerObjectMax), "422"],
      ["values in one JSON document", count(JSON_VALUES_MAX), "422"],
      ["sources of one run", count(SOURCES_PER_RUN_MAX), "422"],
      ["length of a source or function identifier", `${ID_CHARS_MAX} characters`, "422"],
      ["a caller's own `X-Request-Id`", `${CLIENT_REQUEST_ID_CHARS_MAX} characters`, "ignored"],
      ["header block", bytes(HEADER_BYTES_MAX), "431"],
      ["header fields", count(HEADER_FIELDS_MAX), "431"],
      ["time for the headers", "a third of the time for the whole request", "408"],
      ["time for the whole request", "limits.expert.request_timeout_ms", "408"],
      [
        "log lines of refused requests, by error code",
        `${LINES_MAX} a second`,
        "the others are counted in one line, and logged at `debug`",
      ],
      ["idle connection", "limits.keep_alive_ms", "closed"],
      [
        "time for a client to read its answer",
        "limits.expert.write_timeout_ms",
        "the connection is closed; the run is recorded",
      ],
      [
        "requests at once on one connection",
        count(1),
        `${PIPELINED_MAX} further ones wait, and others are not read yet; a connection that sends more at once is closed`,
      ],
      ["clients' connections", "limits.expert.connections", "the new one is closed"],
    ]),
    "## Runs",
    rows([
      ["runs in progress in one process", "limits.runs", "500 `overloaded`, before any vendor is called"],
      [
        "runs of one organization in progress",
        "limits.runs_per_organization",
        "500 `overloaded`, before any vendor is called",
      ],
      ["of these, simulated ones", "half: as many as they leave free for real ones", "the same"],
      [
        "validation against a source's schema",
        `${count(CHECK_STEPS_MAX)} steps, ${count(RUN_CHECK_STEPS_MAX)} for all sources of a run together`,
        "fails with the message `is too large to be checked`: as `input` for inputs, as `contract` for an output",
      ],
      [
        "time of a source",
        `${ms(TIMEOUT_MS_DEFAULT)} unless the source declares another, at most ${ms(CALL_MS_MAX)}`,
        "fails as `timeout`",
      ],
      [
        "output of one source",
        `${bytes(OUTPUT_BYTES_MAX)}, ${count(JSON_VALUES_MAX)} values, nested ${OUTPUT_DEPTH_MAX} deep`,
        "fails as `contract`",
      ],
      [
        "log line of a run",
        `${CALLS_MAX} calls, ${UNKNOWN_MAX} of them of unknown sources`,
        "`calls_not_shown` counts the rest; all are on the ledger",
      ],
      [
        "log of an organization: messages of its functions and sources",
        `${bytes(MESSAGES_QUOTA.bytesPerSecond)} a second, ${bytes(MESSAGES_QUOTA.burstBytes)} at once`,
        "dropped, and counted by `log_quota_used`",
      ],
      [
        "log of an organization: the calls in the lines of its runs",
        `${bytes(CALLS_QUOTA.bytesPerSecond)} a second, ${bytes(CALLS_QUOTA.burstBytes)} at once`,
        "the lines have no calls; all are on the ledger",
      ],
      ["message of a source", `${MESSAGE_CHARS_MAX} characters`, "it is cut"],
      [
        "the whole answer",
        bytes(ANSWER_BYTES_MAX),
        "its largest outputs fail as `contract`, one by one as they arrive, until the rest fits",
      ],
      [
        "memory of one run, besides its request body: its answer, requests to vendors until they are sent, and replies that are being read",
        bytes(RUN_BYTES_MAX),
        "fails as `no_room`, or as `shed` if nothing has been sent",
      ],
      [
        "organizations whose functions run at once",
        "limits.expert.function_processes",
        "functions of further ones wait; organizations take turns",
      ],
      [
        "functions at once in one process",
        "24 to 64, by the [memory](../guides/operations.md#functions) of a process",
        "further ones wait",
      ],
      ["of these, functions of more than 64 MB", `${LARGE_RUNS_MB} MB granted together`, "further ones wait"],
      [
        "memory of one process",
        "160 to 320 MiB, by the memory of the container or machine",
        "it is killed, and its organization's functions fail as `function.process_memory`",
      ],
      ["functions of one organization that wait", count(WAITING_PER_ORGANIZATION), "fails as `function.overloaded`"],
      [
        "inputs and replies of a function's calls that it has not taken",
        bytes(REPLIES_BYTES_MAX),
        "further calls wait, and fail as `shed` after a second, before any vendor is called",
      ],
      [
        "time to finish after SIGTERM",
        "limits.shutdown_grace_ms",
        "runs that are left fail, are recorded and are answered",
      ],
    ]),
    "## Calls to vendors",
    rows([
      [
        "connections to one origin",
        "limits.vendor_connections",
        "further calls wait; one organization alone gets half",
      ],
      [
        "calls waiting for one origin",
        "limits.expert.vendor_queue",
        "fails as `shed`; organizations take turns, and one alone gets half",
      ],
      [
        "connections to all vendors that are in use or being opened",
        `a fifth of the files that the process may open, at most ${count(VENDOR_SOCKETS_MAX)}`,
        "further calls wait",
      ],
      [
        "time a call may wait",
        `${ms(DEFAULT_LIMITS.waitMaxMs)}, or a tenth of the source's time if that is less`,
        "fails as `shed`",
      ],
      [
        "inline credentials of one organization whose rate a process begins to count, in each period",
        count(STARTED_MAX),
        "calls with further ones fail as `shed` until the next period",
      ],
      ["time to connect, including name look-up and TLS", "limits.expert.vendor_connect_ms", "fails as `unreachable`"],
      ["time to look up a name", ms(DEFAULT_LIMITS.lookupMaxMs), "fails as `unreachable`"],
      [
        "path and query of a request",
        bytes(TARGET_CHARACTERS_MAX),
        "fails as `input` and names the field; nothing is sent",
      ],
      [
        "a list to whose entries a filter is applied",
        `${count(ENTRIES_MAX)} entries; ${count(SLOW_ENTRIES_MAX)} for ${slowFilters()}`,
        "fails as `input` and names the field; nothing is sent",
      ],
      [
        "header block of a reply, and its trailers",
        `${bytes(DEFAULT_LIMITS.headerBytesMax)}, ${FIELDS_MAX} fields each`,
        "fails as `contract`",
      ],
      ["interim answers (103 and the like) before a reply", count(INTERIM_MAX), "fails as `contract`"],
      [
        "size of a chunk, and its extensions",
        `${SIZE_DIGITS_MAX} digits, ${bytes(EXTENSIONS_BYTES_MAX)}`,
        "fails as `contract`",
      ],
      [
        "pieces (chunks, or packets) of a reply",
        `${count(PIECES_FREE)}, and one more for each ${BYTES_PER_PIECE} bytes`,
        "fails as `contract`",
      ],
      [
        "reply, as sent and after decoding",
        "limits.expert.reply_decoded_bytes",
        "fails as `contract`; headers and chunk framing may take another quarter of it and 256 KiB",
      ],
      ["nesting of JSON in a reply", count(DEFAULT_LIMITS.depthMax), "fails as `contract`"],
      ["members of one object in a reply", count(DEFAULT_LIMITS.keysPerObjectMax), "fails as `contract`"],
      ["values in a reply", count(JSON_VALUES_MAX), "fails as `contract`"],
      [
        "an XML reply",
        `${bytes(XML_BYTES_MAX)} after decoding; ${count(XML_VALUES_MAX)} elements, attributes, comments and references; ${count(XML_NAMES_MAX)} different names in one element`,
        "fails as `contract`",
      ],
      [
        "expressions over one reply",
        `${count(EXPRESSION_STEPS_MAX)} steps`,
        "no record can be made (`contract`), and a rule is false",
      ],
      [
        "redirects followed",
        `none unless the source asks for it, at most ${REDIRECTS_MAX}, only to its own origins`,
        "fails",
      ],
      ["requests sent again after a byte was written", count(0), ""],
      [
        "idle connection to a vendor",
        `${ms(DEFAULT_LIMITS.keepAliveMs)}; or two seconds less than the vendor announces, if that is shorter`,
        "closed",
      ],
      [
        "idle connections to vendors",
        `a quarter of the files that the process may open, at most ${count(IDLE_CONNECTIONS_MAX)}`,
        "further ones are closed; organizations share the number",
      ],
      [
        "origins (and client certificates) whose connections are kept",
        count(DEFAULT_LIMITS.poolsMax),
        "the organization with the most of them loses the one that has been idle longest",
      ],
    ]),
    `**Circuit breaker.** If at least half of at least ${BREAKER_LIMITS.callsMin} calls within ${ms(BREAKER_LIMITS.windowMs)} fail, further calls fail as ${code("shed")} for ${ms(BREAKER_LIMITS.openMs)}. Then one call is let through; each time it fails the pause doubles, up to ${ms(BREAKER_LIMITS.openMsMax)}. Calls are counted by source and credential, or by source and organization if the source takes no credential, in each process by itself. Only failures of the kinds ${VENDOR_FAILED.map(code).join(", ")} count.`,
    "## Access",
    rows([
      [
        "a token or workflow is used from memory without a new look-up",
        ms(ACCESS_LIMITS.freshMs),
        "a change is noticed sooner, usually within a second",
      ],
      ["the same for one that was refused", ms(ACCESS_LIMITS.absentMs), ""],
      [
        "known tokens go on working while the database is unavailable",
        ms(ACCESS_LIMITS.staleMs),
        "then 500 `unavailable`",
      ],
      [
        "a request waits for the database, for token and workflow together",
        `${ms(LOOKUP_MS_MAX)}; the workflow has at least ${ms(WORKFLOW_LOOKUP_MS_MIN)}`,
        "500 `unavailable`",
      ],
      ["tokens and workflows kept in memory", count(ACCESS_LIMITS.foundMax), "the least recently used one is dropped"],
    ]),
    "## The admin port",
    rows([
      ["connections", count(ADMIN_CONNECTIONS_MAX), "the new one is closed"],
      ["time for the head of a request to arrive", ms(HEAD_MS), "408, and the connection is closed"],
      ["requests at once on one connection", "1", "the connection is closed"],
      ["body of a request to the admin API", bytes(BODY_BYTES_MAX), "422"],
      ["the same of a login", bytes(UNAUTHENTICATED_BODY_BYTES_MAX), "422"],
      ["chunks of a body", "one for each 128 bytes of the limit, at least 1,024", "422"],
      ["time for which a client may leave its answer unread", ms(UNREAD_MS), "the connection is closed"],
      ["lines of a compared invoice, and of the ledger for it", count(API_LINES_MAX), "409"],
      [
        "charges that one `ledger settle` settles",
        `${count(SETTLED_AT_ONCE)}, and with \`--limit\` up to ${count(SETTLED_AT_ONCE_MAX)}`,
        "the same command again settles the rest",
      ],
      [
        "commands in progress over the admin API",
        `${count(COMMANDS_MAX)}; operators share them, and one alone gets half`,
        "503; commands that revoke or disable are not limited",
      ],
      [
        "files being sent, such as exports",
        `${count(STREAMS_MAX)}; operators share them, and one alone gets half`,
        "503",
      ],
      [
        "a wrong token is answered after",
        ms(FAILED_MS),
        `at most ${FAILED_WAITING_MAX} such answers wait; further requests are cut off`,
      ],
      ["a session without a request", ms(IDLE_MS), "401: log in again"],
      ["a session in total", ms(SESSION_MS), "401: log in again"],
    ]),
    "## The ledger",
    rows([
      [
        "size of the journal",
        "limits.journal_bytes",
        "500 `unavailable` for new runs; a warning in the log from half of it",
      ],
      [
        "what an organization may hold of the last fifth of the journal (at most 256 MiB)",
        "as much as an equal share of the whole journal, of which one share is left for an organization that holds nothing",
        "500 `unavailable` for its new runs",
      ],
      [
        "records in memory that are not yet in the journal",
        `${count(LEDGER_LIMITS.recordsMax)}, or ${bytes(LEDGER_LIMITS.recordBytesMax)}`,
        "500 `unavailable` for new runs",
      ],
      [
        "time in which the disk acknowledges nothing",
        ms(LEDGER_LIMITS.stallMs),
        "500 `unavailable` for new runs; answers of runs in progress are sent",
      ],
      ["longest time until an intent is synced to disk", ms(LEDGER_LIMITS.syncIntentsEveryMs), ""],
    ]),
  );
}

type Row = readonly [what: string, limit: string, beyond: string];

const bodyBytes = Number(SETTINGS.find(({ key }) => key === "limits.body_bytes")!.default);
const BY_KEY = new Map<string, Setting>((SETTINGS as readonly Setting[]).map((setting) => [setting.key, setting]));

function rows(limits: readonly Row[]): string {
  return table(
    ["what", "limit", "setting", "beyond it"],
    limits.map(([what, limit, beyond]) => {
      const setting = BY_KEY.get(limit);
      return setting === undefined
        ? [what, limit, "", beyond]
        : [what, valueOf(setting), code(setting.key as SettingKey), beyond];
    }),
  );
}

function valueOf({ key, default: value }: Setting): string {
  if (key === "limits.expert.connections") return "half of the files that may be open, at most 10,000";
  if (key === "limits.journal_bytes") return "the whole disk, except for a twentieth of it or 1 GiB, whichever is less";
  if (key === "limits.expert.function_processes") return "2 to 16, by the memory of the container or machine";
  if (key.endsWith("_bytes")) return bytes(Number(value));
  return key.endsWith("_ms") ? ms(Number(value)) : count(Number(value));
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  let size = value;
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${count(size)} ${units[unit]}`;
}

function ms(value: number): string {
  if (value >= 120_000 && value % 60_000 === 0) return `${value / 60_000} min`;
  return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function slowFilters(): string {
  const names = Object.keys(FILTERS).filter((name) => FILTERS[name]!.isSlow === true);
  return `${names.slice(0, -1).map(code).join(", ")} and ${code(names.at(-1)!)}`;
}
