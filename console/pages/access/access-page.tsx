import { address, hrefOf } from "../../address.ts";
import { useOrganizationOf } from "../../api/use-organization-of.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { OneOrganization } from "./one-organization.tsx";
import { Operators } from "./operators.tsx";
import { CreateOrganization, OrganizationList } from "./organization-list.tsx";

/** Organizations with their access, and the operators of this deployment. */
export function AccessPage({ org: inPath }: { readonly org?: string }) {
  const { query } = address();
  const org = inPath ?? query.get("org");
  useOrganizationOf(org ? null : (query.get("token") ?? query.get("workflow")));
  if (org) return <OneOrganization key={org} org={org} />;
  const isOperators = query.get("tab") === "operators";
  return (
    <Page
      title="Access"
      about={
        isOperators
          ? "Who may use this console and the admin API."
          : "Each organization has its own workflows, tokens and credentials."
      }
      {...(!isOperators && { actions: <CreateOrganization /> })}
    >
      <Tabs
        label="Parts of this page"
        tabs={[
          { label: "Organizations", href: hrefOf("/access"), isCurrent: !isOperators },
          { label: "Operators", href: hrefOf("/access", { tab: "operators" }), isCurrent: isOperators },
        ]}
      />
      {isOperators ? (
        <Operators />
      ) : (
        <OrganizationList hrefOfOne={(id) => hrefOf("/access", { org: id })} withActivity />
      )}
    </Page>
  );
}
