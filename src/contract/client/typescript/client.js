const PRINTABLE = /^[\x20-\x7e]{1,64}$/;

/** Time for the way there and back, beyond the limit that the service itself sets for a run. */
const MARGIN_MS = 10_000;

/** The limit of a source or function that this client does not know. */
const LONGEST_MS = 60_000;

/** Codes of refusals for which nothing was run, and which may be over soon. */
const RETRYABLE = new Set(["overloaded", "unavailable"]);

/** Codes of Node for connections that were not made. */
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** The request of each answer, for `retryable` and `resume`. Not a property: it may contain credentials. */
const requests = new WeakMap();

export class DatarunError extends Error {
  constructor(message, { code, status = null, requestId = null, clientRequestId, details = [], isSent = true, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "DatarunError";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.clientRequestId = clientRequestId;
    this.details = details;
    this.retryable = RETRYABLE.has(code);
    this.mayHaveRun = isSent && !(requestId ?? "").startsWith("req_");
  }
}

export function createClient(options, deployment) {
  const { url, token, workflow, timeoutMs: ownTimeoutMs, fetch: send = globalThis.fetch } = options;
  for (const [name, value] of Object.entries({ url, token, workflow }))
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be a text that is not empty`);
  const base = new URL(url).href.replace(/\/+$/, "");

  function limitOf(ids, { timeoutMs = ownTimeoutMs }) {
    if (timeoutMs !== undefined) return timeoutMs;
    return Math.max(0, ...ids.map((id) => deployment.timeouts[id] ?? LONGEST_MS)) + MARGIN_MS;
  }

  /** Sends one request, once. */
  async function post(path, body, limitMs, { requestId: clientRequestId = crypto.randomUUID(), signal }) {
    if (!PRINTABLE.test(clientRequestId)) throw new TypeError("requestId must be 1 to 64 printable ASCII characters");
    const failed = (message, more) => new DatarunError(message, { clientRequestId, ...more });
    const ending = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      ending.abort();
    }, limitMs);
    const abort = () => ending.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    let response;
    let text;
    try {
      response = await send(base + path, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Service-Access-Token": token,
          "X-Service-Workflow": workflow,
          "X-Request-Id": clientRequestId,
        },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: ending.signal,
      });
      text = await response.text();
    } catch (cause) {
      if (isLate) throw failed(`The service has not answered within ${limitMs} ms.`, { code: "timeout", cause });
      if (signal?.aborted) throw failed("The request was aborted.", { code: "aborted", cause });
      const isSent = !NOT_CONNECTED.has(cause?.cause?.code);
      throw failed("The connection failed before the answer was complete.", { code: "connection", isSent, cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
    const { status } = response;
    const requestId = response.headers.get("x-request-id");
    let answer;
    try {
      answer = JSON.parse(text);
    } catch (cause) {
      throw failed(`The answer with status ${status} is not JSON.`, { code: "unreadable", status, requestId, cause });
    }
    if (status === 200 && typeof answer?.status === "object" && typeof answer.outputs === "object")
      return { answer, requestId, clientRequestId };
    const {
      code = "unreadable",
      message = `The service answered with status ${status}.`,
      details,
    } = answer?.error ?? {};
    throw failed(message, { code, status, requestId, details });
  }

  return {
    async data(request) {
      const { sources, inputs = {}, context } = request;
      const config = { ...(context !== undefined && { context }), sources };
      const limitMs = limitOf(Object.keys(sources), request);
      const { answer, ...ids } = await post("/data", { config, inputs }, limitMs, request);
      const { status, outputs, ...others } = answer;
      const results = Object.fromEntries(
        Object.entries(status).map(([id, entry]) => [id, { ...entry, output: outputs[id] }]),
      );
      return remember({ ...others, ...ids, results }, { sources, inputs, context }, deployment);
    },

    async func(id, inputs, options = {}) {
      const { sources, context, extra } = options;
      const config = {
        ...(context !== undefined && { context }),
        ...(sources !== undefined && { sources }),
        data_func: id,
      };
      const { answer, ...ids } = await post("/func", { ...extra, config, inputs }, limitOf([id], options), options);
      const { status, outputs, ...others } = answer;
      return remember(
        { ...others, ...ids, result: { ...status[id], ...outputs[id] } },
        { sources: sources ?? {}, inputs, context },
        deployment,
      );
    },
  };
}

function remember(answer, request, { resumeInputs }) {
  requests.set(answer, { request, resumeInputs });
  return answer;
}

function recall(answer) {
  const found = requests.get(answer);
  if (found === undefined) throw new TypeError("not an answer of a client, or a copy of one");
  return found;
}

export function retryable(answer) {
  const { request } = recall(answer);
  const again = Object.entries(request.sources).filter(([id]) => answer.results[id]?.failure?.retryable === true);
  return again.length === 0 ? null : { ...request, sources: Object.fromEntries(again) };
}

export function resume(answer) {
  const { request, resumeInputs } = recall(answer);
  const failures =
    answer.results === undefined
      ? [[answer.result.failure?.order_source, answer.result.failure]]
      : Object.entries(answer.results).map(([id, { failure }]) => [id, failure]);
  return failures
    .filter(([id, failure]) => id !== undefined && failure?.resumable === true && failure.order_id !== undefined)
    .map(([id, failure]) => ({
      context: request.context,
      sources: { [id]: request.sources[id] ?? true },
      inputs: { [resumeInputs[id] ?? "order_id"]: failure.order_id },
    }));
}
