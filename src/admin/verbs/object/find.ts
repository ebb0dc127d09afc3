import { PREFIX } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Type } from "../../../terms/type.ts";
import type { VerbCall } from "../../needs.ts";
import { FOUND_KINDS } from "../../found-kinds.ts";
import type { FoundObject } from "../../ports.ts";
import { listOf, oneOf, orNull, text as anyText } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** The number of matches that are shown. */
const SHOWN = 20;

type Match = Omit<FoundObject, "kind"> & { readonly kind: (typeof KINDS)[number] };

const KINDS = ["run", ...FOUND_KINDS, "source", "function"] as const;

export default defineVerb({
  summary: "Find runs, organizations, workflows and everything else by id or name",
  description: `Runs, tokens, credentials and budgets are found by the beginning of their id; organizations, workflows and operators also by their name, as are tokens that are not revoked; sources and functions by any part of their id or title. Beyond the newest 2,000 of a kind, only names that begin with the text are found. At most ${SHOWN} are shown.`,
  example: "acme",
  input: Type.Object(
    {
      text: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: String.raw`\S`,
        description: "The beginning of an id, or part of a name",
        "x-says": "must be 1 to 200 characters, not all of them blank",
      }),
    },
    { additionalProperties: false },
  ),
  positional: ["text"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger", "sources", "functions"],

  result: Type.Object({
    matches: listOf(
      Type.Object({ kind: oneOf(...KINDS), id: anyText, name: orNull(anyText), organization_tuid: orNull(anyText) }),
    ),
  }),

  async run({ text }, call) {
    const found = await findAll(text.trim(), call);
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

async function findAll(text: string, call: VerbCall<"store" | "ledger" | "sources" | "functions">): Promise<Match[]> {
  const id = text.toLowerCase();
  if (id.startsWith(PREFIX.transaction)) return findRuns(id, call);
  const byId = await (await call.store()).findById(id, SHOWN);
  // Whoever types the beginning of an id means no name.
  if (byId !== null) return [...byId];
  const [stored, sources, functions] = await Promise.all([call.store(), call.sources(), call.functions()]);
  return [
    ...(await stored.findByName(text, SHOWN)),
    ...listed(
      sources.ids().map((each) => ({ id: each, title: sources.find(each)!.declaration.title })),
      "source",
      id,
    ),
    ...listed(functions.list(), "function", id),
  ];
}

async function findRuns(id: string, { ledger, note }: VerbCall<"ledger">): Promise<Match[]> {
  try {
    const runs = await (await ledger()).find(id, SHOWN);
    return runs.map((run) => ({
      kind: "run",
      id: run.transaction_id,
      name: null,
      organizationId: run.organization_id === "" ? null : run.organization_id,
    }));
  } catch (error) {
    // The first service makes it.
    if (!(error instanceof OperatorError) || error.code !== "not_found") throw error;
    note(error.message);
    return [];
  }
}

/** What is in memory, those whose id or title begins with the text first. */
function listed(
  all: readonly { readonly id: string; readonly title: string }[],
  kind: "source" | "function",
  text: string,
): Match[] {
  const places = all.map(({ id, title }) => {
    const at = [id, title].map((name) => name.toLowerCase().indexOf(text)).filter((place) => place !== -1);
    return { id, title, at: at.length === 0 ? -1 : Math.min(...at) };
  });
  return places
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => Number(one.at > 0) - Number(other.at > 0))
    .map(({ id, title }) => ({ kind, id, name: title, organizationId: null }));
}
