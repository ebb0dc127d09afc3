import { typed } from "../program.ts";
import { trackPending } from "./pending-requests.ts";

/** A failed request, with the message of the service. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** A code of the admin API, or `unreachable` if the service did not answer. */
  readonly code: string;
  /** Further sentences, such as one for each wrong field. */
  readonly details: readonly string[];
  /** The wrong fields, each with a JSON pointer into the input. */
  readonly problems: readonly FieldProblem[];

  constructor(code: string, message: string, details: readonly unknown[] = []) {
    super(typed(message));
    this.code = code;
    this.details = details.map(toSentence);
    this.problems = details.filter(isFieldProblem);
  }
}

interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

function isFieldProblem(detail: unknown): detail is FieldProblem {
  const { path, message } = Object(detail) as Partial<FieldProblem>;
  return typeof path === "string" && typeof message === "string";
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** An operator's token, sent instead of the session cookie. */
  readonly token?: string;
  /** Receives each remark that the service sends with the result. */
  readonly note?: (sentence: string) => void;
}

const NOTES_HEADER = "Datarun-Notes";

/** The service uses this header to tell requests of the console from those of other sites. */
export const OWN_HEADERS = { "Datarun-Console": "1" } as const;

/** `POST /api/<path>`. @throws CallError; an AbortError if `signal` is aborted */
export function sendRequest(path: string, input: object, options: RequestOptions = {}): Promise<unknown> {
  return trackPending(post(path, input, options));
}

async function post(path: string, input: object, options: RequestOptions): Promise<unknown> {
  return readResult(await send(path, input, options), options.note);
}

/** @throws CallError; an AbortError if `signal` is aborted */
export function send(path: string, input: object, options: RequestOptions, accept = "*/*"): Promise<Response> {
  const { signal = null, token } = options;
  return fetch(`/api/${path}`, {
    method: "POST",
    headers: {
      Accept: accept,
      "Content-Type": "application/json",
      ...OWN_HEADERS,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(input),
    cache: "no-store",
    signal,
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new CallError("unreachable", "The service does not answer.");
  });
}

/** @throws CallError */
export async function readResult(response: Response, note?: (sentence: string) => void): Promise<unknown> {
  const value = (await response.json().catch(() => null)) as { readonly error?: ErrorBody } | null;
  if (response.ok && value !== null) {
    for (const sentence of readNotes(response.headers.get(NOTES_HEADER))) note?.(typed(sentence));
    return value;
  }
  throw toError(response.status, value?.error);
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly unknown[];
}

export function toError(status: number, error: ErrorBody | undefined): CallError {
  if (error === undefined)
    return new CallError("unreachable", `The answer did not come from the service. HTTP status: ${status}.`);
  return new CallError(error.code, error.message, error.details);
}

/** A detail is a sentence, or an object that names a field and its problem. */
function toSentence(detail: unknown): string {
  if (typeof detail === "string") return detail;
  const { path, message } = detail as { readonly path?: string; readonly message?: string };
  return [path, message].filter((part) => part !== undefined && part !== "").join(": ") || JSON.stringify(detail);
}

function readNotes(header: string | null): readonly string[] {
  return header === null ? [] : (JSON.parse(decodeURIComponent(header)) as string[]);
}
