import { PREFIX } from "../../../terms/ids.ts";
import { Type } from "../../../terms/schema/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { chooseCredentialFor, type ChosenCredential } from "../../chosen-credential.ts";
import type { Context } from "../../../terms/caller.ts";
import type { VerbCall } from "../../needs.ts";
import type { AdminStore } from "../../ports.ts";
import { contextInput, organizationInput } from "../../shared-inputs.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { requireOrganization } from "../../require.ts";
import { oneOf, orNull, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** Concurrent queries, few enough that runs do not wait for the database. */
const ASKED_AT_ONCE = 16;

const wireChoice = Type.Object({
  rule: text,
  cred_id: orNull(text),
  cred_name: orNull(text),
  usable: yesOrNo,
  problem: orNull(text),
  reason: text,
});

export default defineVerb({
  summary: "Show which credential runs of an organization would use, for every source and workflow",
  description:
    "For each source that is on and takes a credential there are two answers: one for workflows that select credentials by themselves, and one for the others, which take only a default. They hold for requests that neither contain a credential nor name one. Simulated workflows use no stored credential. The workflows come page by page; `credential explain` shows every step for one workflow and source.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --context prod",
  input: {
    org: organizationInput,
    context: Type.Optional(Type.Enum(contextInput.enum, { description: "The context of the run; dev by default" })),
    ...pagedById(PREFIX.workflow),
  },
  role: "viewer",
  changes: false,
  needs: ["store", "sources", "finder", "region"],

  result: Type.Object({
    context: text,
    sources: Type.Optional({
      ...rowsOf({
        source: text,
        title: text,
        needs_credential: oneOf("optional", "required"),
        auto_credentials: wireChoice,
        no_auto_credentials: wireChoice,
      }),
      description: "With the first page: they are the same for every workflow",
    }),
    workflows: rowsOf({ workflow: text, name: text, auto_credentials: yesOrNo, simulated: yesOrNo, disabled: yesOrNo }),
    ...nextCursor,
  }),

  async run({ org, context = "dev", ...page }, call) {
    const open = await call.store();
    await requireOrganization(open, org);
    const { lines, next } = await readPage(page, call.note, idOf, (asked) => open.workflows(org, asked));
    const rows = page.after === undefined ? await withNames(await findRows(org, context, call), open) : null;
    return {
      context,
      ...(rows !== null && { sources: rows }),
      workflows: lines.map((workflow) => ({
        workflow: workflow.id,
        name: workflow.name,
        auto_credentials: workflow.autoCredentials,
        simulated: workflow.simulated,
        disabled: workflow.disabled,
      })),
      ...next,
    };
  },

  nothing: { sources: "No source takes a credential.", workflows: "The organization has no workflow." },
});

/** The rows for both kinds of workflow, computed once for all pages of workflows. */
async function findRows(
  org: string,
  context: Context,
  { sources, finder, region }: VerbCall<"sources" | "finder" | "region">,
) {
  const listing = await sources();
  const taking = listing.ids().flatMap((id) => {
    const source = listing.find(id)!;
    return source.credentialUse === "none" || !listing.placeOf(id)!.isOn ? [] : [source];
  });
  const found = await finder();
  const choose = async (source: RunnableSource, autoCredentials: boolean) => {
    const workflow = { organizationId: org, autoCredentials };
    return toChoice(
      await chooseCredentialFor(source, { workflow, context, region: region(), credentialId: undefined }, found),
    );
  };
  const rows = [];
  for (let at = 0; at < taking.length; at += ASKED_AT_ONCE) {
    const some = taking.slice(at, at + ASKED_AT_ONCE).map(async (source) => ({
      source: source.id,
      title: source.declaration.title,
      needs_credential: source.credentialUse,
      auto_credentials: await choose(source, true),
      no_auto_credentials: await choose(source, false),
    }));
    rows.push(...(await Promise.all(some)));
  }
  return rows;
}

type MatrixRow = Awaited<ReturnType<typeof findRows>>[number];

async function withNames(rows: readonly MatrixRow[], store: Pick<AdminStore, "credentialNames">) {
  const names = await store.credentialNames(
    rows.flatMap(({ auto_credentials: one, no_auto_credentials: other }) => [one.cred_id, other.cred_id]),
  );
  const named = (choice: MatrixRow["auto_credentials"]) => ({
    ...choice,
    cred_name: names.get(choice.cred_id ?? "") ?? null,
  });
  return rows.map((row) => ({
    ...row,
    auto_credentials: named(row.auto_credentials),
    no_auto_credentials: named(row.no_auto_credentials),
  }));
}

function toChoice({ rule, credentialId, works, misfit, steps }: ChosenCredential) {
  // If no rule applied, the last step has the reason.
  const { reason } = steps.find((step) => step.rule === rule) ?? steps.at(-1)!;
  return { rule, cred_id: credentialId, usable: works, problem: misfit, reason };
}
