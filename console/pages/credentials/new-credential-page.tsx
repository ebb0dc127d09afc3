import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { InputOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Command } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { Page, Section } from "../../parts/page.tsx";
import {
  fieldsOf,
  problemsAt,
  readTexts,
  type Problems,
  type SchemaField,
  type Texts,
} from "../../parts/form-fields.ts";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { mayUse } from "../../session.ts";
import { onFirst } from "../sources/filter-sources.ts";
import { CreatedCredential } from "./created-credential.tsx";

type Create = InputOf<"credential create">;
type Context = NonNullable<Create["context"]>[number];

const CONTEXTS: readonly Context[] = ["prod", "test", "dev"];

/** Stores a credential. The address has the organization and the source, never the values. */
export function NewCredentialPage() {
  const { query } = address();
  const [org, source] = [query.get("org") ?? "", query.get("source") ?? ""];
  const organization = useVerb("org show", org === "" ? null : { org });
  const sources = useVerb("source list", {}).result?.sources.filter(({ credential }) => credential !== "none");
  const [created, setCreated] = useState<Created>();
  return (
    <Page
      title="New credential"
      about={
        org === "" ? (
          "A credential belongs to an organization. Choose one."
        ) : (
          <>
            of{" "}
            <a href={hrefOf("/credentials", { org })}>
              <bdi>{organization.result?.name ?? org}</bdi>
            </a>
          </>
        )
      }
    >
      {org === "" && (
        <>
          <div class="filter">
            <OrganizationField value="" onValue={(value) => setQuery({ org: value }, { remember: true })} />
          </div>
          <Empty
            title="Or store it from a terminal."
            command="datarun credential create --org ORG --source SOURCE --set-env api_key=KEY --default"
          />
        </>
      )}
      {organization.error && <Failure error={organization.error} />}
      {!mayUse("credential create") && (
        <p>Storing a credential requires the role operator and a console that is not read-only.</p>
      )}
      {created ? (
        <CreatedCredential {...created} org={org} onAnother={() => setCreated(undefined)} />
      ) : (
        organization.result &&
        mayUse("credential create") && (
          <>
            <div class="filter">
              <SelectField
                label="Source"
                choices={[
                  { value: "", label: sources === undefined ? "Loading…" : "Choose a source" },
                  ...onFirst(sources ?? []).map(({ source: id, title, on }) => ({
                    value: id,
                    label: `${id}: ${title}${on ? "" : " (off)"}`,
                  })),
                ]}
                value={source}
                onValue={(value) => setQuery({ source: value })}
              />
            </div>
            {source !== "" && <CredentialForm key={source} org={org} source={source} onCreated={setCreated} />}
          </>
        )
      )}
    </Page>
  );
}

interface Created {
  readonly credential: string;
  readonly name: string | null;
  readonly source: string;
  /** Remarks of the service, such as which credential is no longer the default. */
  readonly notes: readonly string[];
}

interface CredentialFormProps {
  readonly org: string;
  readonly source: string;
  readonly onCreated: (created: Created) => void;
}

function CredentialForm({ org, source, onCreated }: CredentialFormProps) {
  const shown = useVerb("source show", { source });
  // The values exist only in this state. They are cleared when the credential is stored.
  const [texts, setTexts] = useState<Texts>({});
  const [wrong, setWrong] = useState<Problems>({});
  const [isVisible, setVisible] = useState(false);
  const [contexts, setContexts] = useState<readonly Context[]>([]);
  const [regions, setRegions] = useState("");
  const [isDefault, setDefault] = useState(true);
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const { isBusy, error, notes, run } = useAct("credential create");
  if (shown.result?.source !== source) return shown.error ? <Failure error={shown.error} retry={shown.reload} /> : null;
  const fields = fieldsOf(shown.result.credential_fields).map((field) => (isVisible ? open(field) : hidden(field)));

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const { values, problems } = readTexts(fields, texts);
    setWrong(problems);
    if (Object.keys(problems).length > 0) return;
    const region = regions.split(/[\s,]+/).filter((one) => one !== "");
    const result = await run({
      org,
      source,
      fields: values,
      default: isDefault,
      ...(contexts.length > 0 && { context: [...contexts] }),
      ...(region.length > 0 && { region }),
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(note.trim() !== "" && { note: note.trim() }),
    });
    if (result === undefined) return;
    setTexts({});
    onCreated({ credential: result.cred_id, name: name.trim() || null, source, notes: notes() });
  }

  return (
    <form class="stack credential-form" autocomplete="off" onSubmit={(event) => void submit(event)}>
      <Section title="Fields">
        <p class="dim">
          These values are encrypted with a key of the organization. After they are stored, nothing shows them again.
        </p>
        <SchemaForm
          fields={fields}
          texts={texts}
          onText={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
          problems={{ ...problemsAt(error, "/fields"), ...wrong }}
          disabled={isBusy}
        />
        <CheckField label="Show the values while I type" checked={isVisible} onChecked={setVisible} />
      </Section>
      <Section title="Use">
        <CheckField
          label="Default: used by workflows that do not select a credential. It replaces the current default."
          checked={isDefault}
          onChecked={setDefault}
        />
        <fieldset class="beside credential-contexts">
          <legend>Contexts (all if none is selected)</legend>
          {CONTEXTS.map((one) => (
            <CheckField
              key={one}
              label={one}
              checked={contexts.includes(one)}
              onChecked={(checked) =>
                setContexts(CONTEXTS.filter((each) => (each === one ? checked : contexts.includes(each))))
              }
            />
          ))}
        </fieldset>
        <TextField
          label="Regions"
          hint="Names of regions, such as eu. The setting region gives the region of a deployment. A deployment in another region refuses the credential. Empty: all regions."
          value={regions}
          onValue={setRegions}
        />
        <TextField
          label="Name"
          hint="Such as the contract or account that it belongs to. Shown wherever the credential is."
          value={name}
          onValue={setName}
        />
        <TextField label="Note" hint="Shown in the list. Not for secrets." value={note} onValue={setNote} />
      </Section>
      {error && <Failure error={error} />}
      <div class="beside">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Store the credential
        </Button>
        <a href={hrefOf("/credentials", { org })}>Cancel</a>
      </div>
      <div class="stack">
        <p class="dim">The same from a terminal, with the secret in an environment variable:</p>
        <Command>{commandFor(org, source, fields)}</Command>
      </div>
    </form>
  );
}

/** Every text of a credential may be a secret, even without `writeOnly` in its schema. */
function hidden(field: SchemaField): SchemaField {
  return { ...field, isSecret: field.kind === "text" || field.kind === "lines" || field.isSecret };
}

function open(field: SchemaField): SchemaField {
  return { ...field, isSecret: false };
}

function commandFor(org: string, source: string, fields: readonly SchemaField[]): string {
  const given = fields
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => ` --set-env ${name}=${name.toUpperCase()}`);
  return `datarun credential create --org ${org} --source ${source}${given.join("")} --default`;
}
