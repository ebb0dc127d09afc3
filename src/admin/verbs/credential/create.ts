import { Type } from "../../../terms/schema/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import type { Context } from "../../../terms/caller.ts";
import { Fault } from "../../../terms/fault.ts";
import { newId } from "../../../terms/ids.ts";
import { markReferences, referencesIn } from "../../../credentials/references/marked-fields.ts";
import { parseReference, REFERENCE_FORMS } from "../../../credentials/references/reference.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { Secret } from "../../../terms/secret.ts";
import { didYouMeanAnyOf } from "../../../terms/text/nearest.ts";
import {
  contextInput,
  givenOf,
  nameInput,
  noteInput,
  organizationInput,
  regionInput,
  sourceInput,
} from "../../shared-inputs.ts";
import type { CreatedCredential } from "../../ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { requireOrganization, requireSource, unknownOrganization } from "../../require.ts";
import { refuseUnfit } from "../../refuse-unfit.ts";
import { text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Store a vendor credential for one source",
  description:
    "The fields are checked against the source's schema and then encrypted under the organization's own key; no command shows them again. With --ref the value stays in a file or a vault, where the service reads it when it is used. Without --context the credential may be used in every context, and without --region in every region. There is one default per source and context: a new one replaces the old one.",
  example:
    "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --source companies_house__company_profile --set-env api_key=CH_API_KEY --default --context prod",
  input: {
    org: organizationInput,
    source: sourceInput,
    fields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The fields of the credential; --set-env and --stdin keep secrets off the command line",
      }),
    ),
    ref: Type.Optional(
      Type.Array(Type.String({ maxLength: 700, pattern: "^[^=]+=." }), {
        maxItems: 20,
        "x-placeholder": "FIELD=REFERENCE",
        description: `A field whose value is kept elsewhere, and where: ${Object.values(REFERENCE_FORMS).join(", ")}`,
      }),
    ),
    default: Type.Optional(
      Type.Boolean({ description: "Makes it the organization's default for this source in its contexts" }),
    ),
    context: Type.Optional(
      Type.Array(contextInput, { maxItems: 3, uniqueItems: true, description: "A context in which it may be used" }),
    ),
    region: Type.Optional(
      Type.Array(regionInput, {
        maxItems: 20,
        uniqueItems: true,
        description: "A region in which it may be used; a deployment in any other refuses it",
      }),
    ),
    name: Type.Optional(nameInput("What to call it; two may have the same name")),
    note: Type.Optional(noteInput("A remark for `credential list`; never a secret", 200)),
  },
  role: "operator",
  changes: true,
  needs: ["store", "sources", "sealer"],

  result: Type.Object({ cred_id: text }),

  async run(input, { act, store, sources, sealer, note }) {
    const { org, context: contexts = [], region: regions = [], default: isDefault = false } = input;
    const fields = (input.fields ?? {}) as JsonObject;
    const references = readReferences(input.ref ?? [], fields);
    const source = requireSource(await sources(), input.source);
    const names = [...Object.keys(fields), ...Object.keys(references)];
    if (input.fields === undefined && input.ref === undefined)
      throw new OperatorError("usage", "--set or --set-env or --stdin or --ref is required.");
    refuseUnfit(source, fields, references);
    for (const sentence of doubtsAbout(source, names)) note(sentence);
    const open = await store();
    await requireOrganization(open, org);

    const sealedFor = { id: newId("credential", act.wallAt), organizationId: org, source: source.id, version: 1 };
    const sealed = await (
      await sealer()
    )
      .seal(sealedFor, new Secret(markReferences(fields, references)))
      .catch(keyIsUnreadable);
    const credential = {
      ...sealedFor,
      ...sealed,
      contexts,
      regions,
      isDefault,
      disabled: false,
      createdWallAt: act.wallAt,
    };
    const created = await open.createCredential(act, credential, {
      ...givenOf({ name: input.name, note: input.note }),
      fieldNames: names,
      references,
    });
    if (created === null) throw unknownOrganization(org);
    for (const sentence of defaultsText(created)) note(sentence);
    if (Object.keys(references).length > 0)
      note(
        `References are read when a call needs them. To see whether they can be: datarun credential verify ${sealedFor.id}`,
      );
    return { cred_id: created.credential.id };
  },
});

/** References by field. @throws OperatorError, which shows no reference: a secret may be in its place by mistake */
function readReferences(given: readonly string[], fields: JsonObject): Readonly<Record<string, string>> {
  if (referencesIn(fields) !== null)
    throw new OperatorError("invalid", "A reference is given with --ref, not as a value.");
  const references = new Map<string, string>();
  for (const text of given) {
    const name = text.slice(0, text.indexOf("="));
    const reference = text.slice(name.length + 1);
    if (references.has(name) || Object.hasOwn(fields, name))
      throw new OperatorError("invalid", `The field ${name} may be given only once.`);
    try {
      parseReference(reference);
    } catch (error) {
      throw new OperatorError("invalid", `The reference of ${name} ${(error as Error).message}.`);
    }
    references.set(name, reference);
  }
  return Object.fromEntries(references);
}

/** The most fields compared with the declared ones. Comparing thousands would block all runs. */
const COMPARED_MAX = 100;

/** Remarks on fields that are probably misspelled. A schema that accepts any field has none. */
function doubtsAbout(source: RunnableSource, names: readonly string[]): string[] {
  const declared = source.credentialNames;
  if (declared === null) return [];
  return names
    .filter((name) => !declared.includes(name))
    .map((name, at) => {
      const question = at < COMPARED_MAX ? didYouMeanAnyOf(name, declared) : null;
      return `${source.id} does not declare the field ${name}; it is stored with the others.${question === null ? "" : ` ${question}`}`;
    });
}

/** Fails instead of creating another data key: only this command may lack a root key that the services have. */
function keyIsUnreadable(error: unknown): never {
  if (!(error instanceof Fault)) throw error;
  const { keyId, rootKeyId } = error.detail;
  const lacking = rootKeyId === undefined ? "" : ` (it is wrapped by the root key ${String(rootKeyId)})`;
  throw new OperatorError(
    "refused",
    `The data key ${String(keyId)} of this organization cannot be opened here${lacking}, so it cannot be used to store a credential. Give its root key in DATARUN_ROOT_KEY or, if that is lost for good, remove the data key: datarun keys discard ${String(keyId)}`,
    { cause: error },
  );
}

function defaultsText({ credential, replaced, narrowed }: CreatedCredential): string[] {
  const where = inContexts(credential.contexts);
  return [
    ...replaced.map(({ id }) => `${id} is no longer a default: this one replaces it ${where}.`),
    ...narrowed.map(
      ({ credential: { id }, contexts }) =>
        `${id} is replaced by this one ${where} and stays the default ${inContexts(contexts)}.`,
    ),
  ];
}

function inContexts(contexts: readonly Context[]): string {
  return contexts.length === 0 ? "in every context" : `in ${contexts.join(" and ")}`;
}
