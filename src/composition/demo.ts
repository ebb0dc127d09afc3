import { makeAccessToken, tokenDigest } from "../access/access-token.ts";
import type { AdminStore } from "../admin/ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { Store } from "../storage/store.ts";
import { PLAIN_WORKFLOW } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { newId } from "../terms/ids.ts";
import { makeConsoleLink } from "./console-link.ts";
import type { Service } from "./service.ts";

interface DemoAccess {
  readonly accessToken: string;
  readonly workflow: string;
}

/**
 * On a new store, creates an organization, a token and two workflows to try the service with; `null` if it is in use. One
 * workflow is real, and one is simulated, with which every source of the catalog has something to say.
 */
async function createDemo(store: AdminStore, clock: Clock): Promise<DemoAccess | null> {
  if ((await store.organizations({ limit: 1 })).length > 0) return null;
  const wallAt = clock.wall();
  const act = { who: "demo", via: "service", what: "start --demo", wallAt } as const;
  const organizationId = newId("organization", wallAt);
  const workflow = newId("workflow", wallAt);
  const accessToken = makeAccessToken();
  await store.createOrganization(act, { id: organizationId, name: "Demo", createdWallAt: wallAt });
  await store.createToken(act, {
    id: newId("token", wallAt),
    organizationId,
    name: "demo",
    digest: tokenDigest(accessToken),
    createdWallAt: wallAt,
    expiresWallAt: null,
  });
  const settings = { ...PLAIN_WORKFLOW, organizationId, createdWallAt: wallAt };
  await store.createWorkflow(act, { ...settings, id: workflow, name: "demo" });
  const simulated = { id: newId("workflow", wallAt), name: "demo, simulated", failureDetails: true, simulated: true };
  await store.createWorkflow(act, { ...settings, ...simulated });
  return { accessToken, workflow };
}

/** Creates a demo if possible, and returns the text to print: what to try and to open, or why there is no demo. */
export async function makeDemo(
  settings: Pick<Settings, "databaseUrl" | "console">,
  store: Pick<Store, "admin" | "sessions">,
  { url, adminUrl }: Pick<Service, "url" | "adminUrl">,
  clock: Clock,
): Promise<string> {
  if (settings.databaseUrl !== undefined) return NO_DEMO_ON_DATABASE;
  const access = await createDemo(store.admin, clock);
  const commands = access === null ? NO_SECOND_DEMO : demoCommands(url, access);
  return settings.console === "off" ? commands : commands + sayLink(await makeConsoleLink(store, adminUrl, clock));
}

function sayLink(link: string): string {
  return `Open the console (within ten minutes; whoever opens this first is logged in as an owner):\n\n${link}\n\n`;
}

const NO_SECOND_DEMO =
  "The store has organizations already: no demo was made. Their ids: datarun org list. A token for one: datarun token create --org ORG. Its workflows: datarun workflow list --org ORG.\n";
const NO_DEMO_ON_DATABASE =
  "A demo organization is made on the embedded store only, and DATABASE_URL is set: none was made. The whole catalog is on.\n";

/** Ready to paste: five sources in one run, of which one finds no record and one fails; then a data function. */
function demoCommands(url: string, access: DemoAccess): string {
  const headers = [
    `-H 'X-Service-Access-Token: ${access.accessToken}'`,
    `-H 'X-Service-Workflow: ${access.workflow}'`,
    "-H 'Content-Type: application/json'",
  ].join(" ");
  const data = {
    config: {
      sources: {
        google__phone_number: true,
        ibantools__bank_account: true,
        mailcheck__email_address: true,
        iptoasn__ip_country: true,
        companies_house__company_profile: true,
      },
    },
    inputs: {
      phone: "+44 20 7946 0958",
      iban: "DE89 3704 0044 0532 0130 00",
      email: "ada@hotmial.com",
      ip: "192.0.2.1",
      company_number: "00000006",
    },
  };
  const func = {
    config: { data_func: "dfunc_contact_check" },
    inputs: { phone: "+44 20 7946 0958", email: "ada@example.com", ip: "8.8.8.8", country: "GB" },
  };
  return [
    "A demo organization was created. Its token is shown only once. Try:",
    `curl -s ${url}/data ${headers} -d '${JSON.stringify(data)}'`,
    `curl -s ${url}/func ${headers} -d '${JSON.stringify(func)}'`,
    "",
  ].join("\n\n");
}
