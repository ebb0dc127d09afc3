import { Type } from "../../terms/schema/type.ts";
import { CONTEXTS } from "../../terms/caller.ts";
import { readAmount } from "../../terms/money/money.ts";
import type { Price } from "../../terms/money/price.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { prove } from "../authoring/prove.ts";
import type { ProvedSource } from "../authoring/prove-sources.ts";
import { liveCallParts } from "../authoring/ask-vendor.ts";
import { requireSource } from "../require.ts";
import { organizationInput, sourcesInput } from "../shared-inputs.ts";
import { defineVerb } from "../verb.ts";

export default defineVerb({
  summary: "Call the real vendor of each source once, and write down which versions got an answer",
  description:
    "Every source is called that is on, declares public inputs under `live`, and needs no credential or has one in the organization. Sources whose vendors bill nothing are called first. Before each billed call its price is shown, and you are asked. A proof has the digest of the source's version, the date, whether there was a record, and the paths and types of the replies and of the output; never a value. The proofs are in datarun.proofs.json of the project: commit it. `source list` and the console show them. The calls use the budgets of the organization, are recorded in the audit trail before they are sent, and are counted by `ledger summary`. The exit code is 1 if a call failed, if a vendor had no record, or if no vendor was called.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --max-cost 5EUR",
  input: {
    source: Type.Optional({ ...sourcesInput, description: "A source to prove; all without it" }),
    org: Type.Optional(organizationInput),
    context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the calls; dev by default" })),
    free_only: Type.Optional(Type.Boolean({ description: "Only the sources whose vendors bill nothing" })),
    yes: Type.Optional(Type.Boolean({ description: "Make every billed call without asking" })),
    max_cost: Type.Optional(
      Type.String({
        pattern: "^[0-9]{1,10}(\\.[0-9]{1,6})? ?[A-Z]{3}$",
        description:
          "The most that all calls together may cost, such as 5EUR. Calls without a known price are left out",
        "x-placeholder": "AMOUNT",
        "x-says": "must be an amount with its currency, such as 5EUR",
      }),
    ),
  },
  positional: ["source"],
  role: "operator",
  terminalOnly: true,
  changes: true,
  needs: ["sources", "authoring", "store", "finder", "region", "projectFolder", "terminal"],

  async run({ source: ids, org, context = "dev", free_only: freeOnly = false, yes = false, max_cost: most }, call) {
    const project = call.projectFolder();
    const sources = await call.sources();
    for (const id of ids ?? []) requireSource(sources, id);
    const organization = org ?? (await onlyOrganization(await call.store()));
    const parts = liveCallParts(call, { org: organization, credential: undefined });
    const request = { ids, organization, context, freeOnly, yes, most: most === undefined ? undefined : priceOf(most) };
    const { file, rows } = await prove(request, project, sources, await call.authoring(), parts, call);
    const called = rows.filter(({ state }) => state !== "skipped");
    return {
      passed: called.length > 0 && called.every(({ state }) => state === "proved"),
      file,
      sources: rows.map((row) => ({ ...row, differences: [...row.differences] })),
    };
  },

  interrupted: "The proofs so far are written. Run it again with the sources that are left.",
  hasFailed: ({ passed }) => !passed,
  render({ file, sources }) {
    const rows = sources as readonly ProvedSource[];
    const shown = rows.filter(({ message }) => message !== "answers on this machine");
    const skipped = Map.groupBy(
      shown.filter(({ state }) => state === "skipped"),
      ({ message }) => message,
    );
    const isMany = ({ state, message }: ProvedSource) =>
      state === "skipped" && skipped.get(message)!.length > SKIPPED_ALIKE_MAX;
    const lines = shown
      .filter((one) => !isMany(one))
      .flatMap(({ source, state, outcome, message, differences }) => [
        `${state.padEnd(7)} ${source}: ${[outcome, message].filter(Boolean).join(": ")}`,
        ...differences.map((each) => `          ${each}`),
      ]);
    for (const [message, alike] of skipped)
      if (alike.length > SKIPPED_ALIKE_MAX) lines.push(`skipped ${alike.length} sources: ${message}`);
    const count = (state: ProvedSource["state"]) => rows.filter((row) => row.state === state).length;
    return [
      ...lines,
      `${count("proved")} proved, ${count("failed")} failed, ${count("skipped")} skipped: ${file as string}`,
      "",
    ].join("\n");
  },
});

/** More sources that are skipped for the same reason share a line. */
const SKIPPED_ALIKE_MAX = 5;

interface Organizations {
  organizations(page: { readonly limit: number }): Promise<readonly { readonly id: string }[]>;
}

/** The organization of a deployment that has only one. */
async function onlyOrganization(store: Organizations): Promise<string | undefined> {
  const found = await store.organizations({ limit: 2 });
  return found.length === 1 ? found[0]!.id : undefined;
}

/** @throws OperatorError */
function priceOf(text: string): Price {
  const [amount, currency] = [readAmount(text.slice(0, -3).trim()), text.slice(-3)];
  if (amount === null) throw new OperatorError("invalid", `--max-cost ${text} is not an amount.`);
  return { amount, currency };
}
