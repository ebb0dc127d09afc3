import { hasOperatorTokenShape, hasTokenShape, tokenDigest } from "../../../access/access-token.ts";
import { PREFIX, TRACE_ID } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Type } from "../../../terms/schema/type.ts";
import { withTimeout } from "../../../terms/time/within.ts";
import type { VerbCall } from "../../needs.ts";
import { FOUND_KINDS } from "./name.ts";
import type { FoundObject } from "../../ports.ts";
import { oneOf, orNull, rowsOf, text as anyText } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** The maximum of matches in the result. */
const SHOWN = 20;

type ObjectMatch = Omit<FoundObject, "kind"> & { readonly kind: (typeof KINDS)[number] };

const KINDS = ["run", ...FOUND_KINDS, "source", "function"] as const;

export default defineVerb({
  summary: "Find runs, organizations, workflows and everything else by id or name",
  description: `Runs, tokens, credentials and budgets are found by the beginning of their id; runs also by the whole X-Request-Id or trace id that their caller sent; organizations, workflows and operators also by their name, as are tokens that are not revoked; sources and functions by any part of their id or title. A token that was found where it should not be is found by its whole text (drt_… or dop_…), of which only the digest is compared. Beyond the newest 2,000 of a kind, only names that begin with the text are found. At most ${SHOWN} are shown.`,
  example: "acme",
  input: {
    text: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: String.raw`\S`,
      description: "The beginning of an id, or part of a name",
      "x-says": "must be 1 to 200 characters, not all of them blank",
    }),
  },
  positional: ["text"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger", "sources", "functions"],

  result: Type.Object({
    matches: rowsOf({ kind: oneOf(...KINDS), id: anyText, name: orNull(anyText), organization_tuid: orNull(anyText) }),
  }),

  async run({ text }, call) {
    const found = isSecret(text.trim()) ? await findToken(text.trim(), call) : await findAll(text.trim(), call);
    return {
      matches: found.slice(0, SHOWN).map(({ kind, id, name, organizationId }) => ({
        kind,
        id,
        name,
        organization_tuid: organizationId,
      })),
    };
  },

  nothing: { matches: "Nothing has this id or name." },
});

/** Also a part of a token or a mistyped one, so that it is not searched for, or shown, as a name. */
function isSecret(text: string): boolean {
  return text.startsWith(PREFIX.accessToken) || text.startsWith(PREFIX.operatorToken);
}

async function findToken(text: string, { store, note }: VerbCall<"store">): Promise<ObjectMatch[]> {
  if (!hasTokenShape(text) && !hasOperatorTokenShape(text)) {
    note("This begins like a token, but it is not a whole one. A token is only found by its whole text.");
    return [];
  }
  const found = await (await store()).findByDigest(tokenDigest(text));
  note(
    found === null
      ? "No token of this deployment has this text."
      : "Everybody who has seen this text can use the token until it is revoked.",
  );
  return found === null ? [] : [found];
}

async function findAll(
  text: string,
  call: VerbCall<"store" | "ledger" | "sources" | "functions">,
): Promise<ObjectMatch[]> {
  const id = text.toLowerCase();
  if (id.startsWith(PREFIX.transaction)) return findRuns(text, call);
  const [runs, stored] = await Promise.all([findRunsInTime(text, call), call.store()]);
  const byId = await stored.findById(id, SHOWN);
  // The start of an id is not searched as a name.
  if (byId !== null) return [...byId, ...runs];
  const [sources, functions] = await Promise.all([call.sources(), call.functions()]);
  return [
    ...runs,
    ...(await stored.findByName(text, SHOWN)),
    ...listed(
      sources.ids().map((each) => ({ id: each, title: sources.find(each)!.declaration.title })),
      "source",
      id,
    ),
    ...listed(functions.list(), "function", id),
  ];
}

/** How long a search for a name waits for the ledger, which answers one query after another. */
const LEDGER_WAIT_MS = 2_000;

/** Searches runs with a time limit. The text is probably a name, so a slow ledger must not delay the other matches. */
async function findRunsInTime(text: string, call: VerbCall<"ledger">): Promise<ObjectMatch[]> {
  const busy = () => new OperatorError("unavailable", "The ledger does not answer, so runs were not searched.");
  try {
    return await withTimeout(call.clock, LEDGER_WAIT_MS, findRuns(text, { ...call, note: () => {} }), busy);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    call.note(error.message);
    return [];
  }
}

interface RunMatch {
  readonly transaction_id: string;
  readonly organization_id: string;
  readonly client_request_id?: string | null;
}

/** Finds runs by their own ids and by their callers' ids. */
async function findRuns(text: string, { ledger, note }: VerbCall<"ledger">): Promise<ObjectMatch[]> {
  const id = text.toLowerCase();
  const isTrace = TRACE_ID.test(id);
  try {
    const reader = await ledger();
    const own = id.startsWith(PREFIX.transaction) ? id : isTrace ? PREFIX.transaction + id : null;
    const found: RunMatch[] = [
      ...(await reader.list({ clientRequestId: text }, { limit: SHOWN })).runs,
      ...(isTrace ? (await reader.list({ traceId: id }, { limit: SHOWN })).runs : []),
      // In spans, a run without a caller's trace has the digits of its id as trace id.
      ...(own === null ? [] : await reader.find(own, SHOWN)),
    ];
    const runs = new Map(found.toReversed().map((run) => [run.transaction_id, run]));
    return [...runs.values()]
      .toSorted((one, other) => (one.transaction_id < other.transaction_id ? 1 : -1))
      .map((run) => ({
        kind: "run",
        id: run.transaction_id,
        name: run.client_request_id ?? null,
        organizationId: run.organization_id === "" ? null : run.organization_id,
      }));
  } catch (error) {
    // No ledger exists before the first start of a service.
    if (!(error instanceof OperatorError) || error.code !== "not_found") throw error;
    note(error.message);
    return [];
  }
}

/** Filters a list in memory. Matches at the start of the id or title come first. */
function listed(
  all: readonly { readonly id: string; readonly title: string }[],
  kind: "source" | "function",
  text: string,
): ObjectMatch[] {
  const positions = all.map(({ id, title }) => {
    const at = [id, title].map((name) => name.toLowerCase().indexOf(text)).filter((position) => position !== -1);
    return { id, title, at: at.length === 0 ? -1 : Math.min(...at) };
  });
  return positions
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => Number(one.at > 0) - Number(other.at > 0))
    .map(({ id, title }) => ({ kind, id, name: title, organizationId: null }));
}
