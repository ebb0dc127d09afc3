import { findVerbs } from "../../src/admin/find-verbs.ts";
import { BODY_BYTES_MAX } from "../../src/admin/http/read-input.ts";
import { LIVE_PATH, LIVE_CLIENTS_MAX } from "../../src/admin/http/live-stream.ts";
import { STATUS_OF } from "../../src/admin/http/refusal.ts";
import { SESSION_ENDPOINTS } from "../../src/admin/http/session-endpoints.ts";
import { allEndpoints } from "../../src/admin/http/verb-endpoints.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

/** What can be done over the admin API, and by whom. */
export async function adminApiPage(): Promise<Page> {
  const endpoints = await allEndpoints(findVerbs());
  return page(
    "docs/reference/admin-api.md",
    generated("the verbs' declarations in src/admin/verbs"),
    "# The admin API",
    "The commands of operators, over HTTP, on the admin port. [Give colleagues access](../guides/operators.md) says how to set it up; [`openapi-admin.json`](../../openapi-admin.json) has all schemas.",
    block(
      "sh",
      `curl http://127.0.0.1:8081/api/token/list -H "Authorization: Bearer $DATARUN_OPERATOR_TOKEN" -H 'Content-Type: application/json' -d '{"org": "org_…"}'`,
    ),
    [
      '- Each endpoint is a [command](commands.md). Its body is the command\'s input as one JSON object, in which an option has the same name with underscores: `--expires-in 90d` is `"expires_in": "90d"`. What `--set` and `--stdin` fill is an object. No body is an empty object.',
      `- A body has at most ${BODY_BYTES_MAX.toLocaleString("en")} bytes and is sent as ${code("application/json")}.`,
      "- The answer is what the command prints with `--json`. Remarks that it prints on standard error are in the header `Datarun-Notes`: a JSON list of sentences, percent-encoded. A result with exit code 1, such as a failed case, is still 200.",
      "- `Authorization` has an operator's token (`dop_…`). A wrong token is answered after a second.",
      "- The `Host` of a request has to be this machine's own or one of the setting `admin_hosts`, and an `Origin` that same host. No answer has a CORS header.",
    ].join("\n"),
    "## Sessions",
    "For pages of the service itself. These requests, and every request with a session's cookie in place of a token, need an `Origin` of this service and the header `Datarun-Console: 1`.",
    table(
      ["path", "takes", "what it does"],
      SESSION_ENDPOINTS.map(({ path, takes, summary, description }) => [
        code(path),
        TAKES[takes],
        `${summary}. ${description}`,
      ]),
    ),
    "## While a command runs",
    "A request with `Accept: text/event-stream` gets server-sent events in place of one answer. Once the command has started, the status is 200.",
    table(
      ["event", "its data"],
      [
        ["`note`", 'A remark, at once: `{"says": "…"}`'],
        [
          "`progress`",
          'How far it is: `{"what": "runs checked", "done": 1200, "of": 5000}`; `of` is missing while it is not known',
        ],
        [
          "`call`",
          'A call of the run that it makes has ended: `{"source": "acme__people", "success": true, "match": true, "took_ms": 180}`; its output comes with the result',
        ],
        ["`result`", "The last event: what the answer would have been"],
        ["`error`", "The last event if the command fails: an [error](#errors)"],
      ],
    ),
    "A command continues if its client disconnects.",
    "## What happens now",
    `\`GET ${LIVE_PATH}\` sends a server-sent event of the name \`live\` once a second, to at most ${LIVE_CLIENTS_MAX} clients at a time, which operators share: one alone gets half. It takes the role viewer. Runs, calls, breakers and the ledger's state are those of the machine; charges to settle, budgets and what needs a person are the deployment's, some seconds old. \`openapi-admin.json\` has its fields as \`LiveEvent\`.`,
    block("sh", `curl -N http://127.0.0.1:8081${LIVE_PATH} -H "Authorization: Bearer $DATARUN_OPERATOR_TOKEN"`),
    "The last event is an `error`: the login has ended (`unauthenticated`), or the service stops or cannot look up the login (`unavailable`). A client that does not read is cut off.",
    "## Errors",
    "Every error has the same form. `code` does not change between versions; `message` may. `details` lists what is wrong with the input, each with a JSON pointer.",
    block(
      "json",
      '{ "error": { "code": "invalid", "message": "/org is required", "details": [{ "path": "/org", "message": "is required" }] } }',
    ),
    table(
      ["`error.code`", "status", "meaning"],
      Object.entries(STATUS_OF).map(([name, status]) => [
        code(name),
        String(status),
        MEANING[name as keyof typeof STATUS_OF],
      ]),
    ),
    "## Endpoints",
    "All are `POST`, apart from `/api/live`. Each role may also do what the ones before it may: viewer, operator, owner.",
    table(
      ["path", "takes the role", "changes something", "what it does"],
      endpoints.map(({ path, name, verb }) => [
        `[${code(path)}](commands.md#${name.replaceAll(" ", "-")})`,
        verb.role,
        verb.changes ? "yes" : "",
        `${verb.summary}.`,
      ]),
    ),
  );
}

const TAKES = { token: "a token", session: "a session", input: "neither", nothing: "neither" } as const;

const MEANING: Readonly<Record<keyof typeof STATUS_OF, string>> = {
  usage: "Inputs that do not go together",
  invalid: "The body, or a value in it",
  not_found: "What the input names does not exist, or there is no such command outside a terminal",
  refused: "The command does not do this, and says why",
  unavailable: "The store or the ledger does not answer, too many commands are running, or the service is stopping",
  internal: "A defect; the service's log has the cause",
  unauthenticated: "No token, or one that is unknown, expired or revoked",
  forbidden:
    "The role does not allow it, the console is read-only, or the request names a foreign host or comes from another site's page",
  method_not_allowed: "Another method than POST, or than GET for `/api/live`",
};
