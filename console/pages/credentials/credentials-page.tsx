import { address, hrefOf } from "../../address.ts";
import { useOrganizationOf } from "../../api/use-organization-of.ts";
import { useVerb } from "../../api/use-verb.ts";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { mayUse } from "../../session.ts";
import { OrganizationList } from "../access/organization-list.tsx";
import { CredentialMatrix } from "./credential-matrix.tsx";
import { CredentialFilter, StoredCredentials } from "./stored-credentials.tsx";

/** The vendor credentials of an organization, and which of them a run uses. */
export function CredentialsPage() {
  const { query } = address();
  const org = query.get("org") ?? "";
  useOrganizationOf(org === "" ? query.get("credential") : null);
  return org === "" ? <ChooseOrganization /> : <OfOrganization key={org} org={org} />;
}

/** The organizations or, with a filter, the credentials of all of them. */
function ChooseOrganization() {
  const { query } = address();
  const isFiltered = query.has("source") || query.has("name");
  return (
    <Page
      title="Credentials"
      about="Each organization has its own credentials. Choose one, or find credentials of all organizations."
    >
      <CredentialFilter />
      {isFiltered ? (
        <StoredCredentials org={null} />
      ) : (
        <OrganizationList hrefOfOne={(org) => hrefOf("/credentials", { org })} />
      )}
    </Page>
  );
}

function OfOrganization({ org }: { readonly org: string }) {
  const { result, error, reload } = useVerb("org show", { org });
  if (result === undefined) {
    // Waits for the name, which has another length than the id and would shift the content below.
    return (
      <Page
        title="Credentials"
        about={error === undefined ? "\u00a0" : <a href={hrefOf("/credentials")}>Another organization</a>}
      >
        {error && <Failure error={error} retry={reload} />}
      </Page>
    );
  }
  const isMatrix = address().query.get("view") === "matrix";
  return (
    <Page
      title="Credentials"
      about={
        <span class="beside">
          <span>
            of{" "}
            <a href={hrefOf("/access", { org })}>
              <bdi>{result.name}</bdi>
            </a>
          </span>
          <a href={hrefOf("/credentials")}>Another organization</a>
        </span>
      }
      actions={
        mayUse("credential create") && (
          <a class="button button-primary" href={hrefOf("/credentials/new", { org })}>
            New credential
          </a>
        )
      }
    >
      {error && <Failure error={error} retry={reload} />}
      <Tabs
        label="Parts of this page"
        tabs={[
          { label: "Stored", href: hrefOf("/credentials", { org }), isCurrent: !isMatrix },
          { label: "Credential selection", href: hrefOf("/credentials", { org, view: "matrix" }), isCurrent: isMatrix },
        ]}
      />
      {isMatrix ? (
        <CredentialMatrix org={org} />
      ) : (
        <>
          <CredentialFilter />
          <StoredCredentials org={org} />
        </>
      )}
    </Page>
  );
}
