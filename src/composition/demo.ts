import { makeAccessToken, tokenDigest } from "../access/access-token.ts";
import type { Act, AdminStore } from "../admin/ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { Store } from "../storage/store.ts";
import { PLAIN_WORKFLOW } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import { newId } from "../terms/ids.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import { createConsoleLink } from "./console-link.ts";
import { reachableAddress } from "./service-address.ts";
import type { Service } from "./service.ts";

interface DemoAccess {
  readonly accessToken: string;
  readonly workflow: string;
  /** Whether this start created the demo. Otherwise an earlier start did, and only the token is new. */
  readonly isNew: boolean;
}

/** The token of the first start is valid until it is revoked. It may be lost, so each later start prints a new one. */
const LATER_TOKEN_MS = DAY_MS;

const ACTOR = { who: "demo", via: "service", what: "start --demo" } as const;

/** The demo of an earlier start with a new token, or a new demo if there is none or its real workflow is disabled. */
async function accessDemo(store: AdminStore, clock: Clock): Promise<DemoAccess> {
  const act = { ...ACTOR, wallAt: clock.wall() };
  const before = await findDemo(store);
  const { organizationId, workflow } = before ?? (await createDemo(store, act));
  const accessToken = makeAccessToken();
  await store.createToken(act, {
    id: newId("token", act.wallAt),
    organizationId,
    name: "demo",
    digest: tokenDigest(accessToken),
    createdWallAt: act.wallAt,
    expiresWallAt: before === null ? null : act.wallAt + LATER_TOKEN_MS,
  });
  return { accessToken, workflow, isNew: before === null };
}

interface Demo {
  readonly organizationId: string;
  readonly workflow: string;
}

/** Finds the demo by the audit trail: an organization with the same name may be a real one. */
async function findDemo(store: AdminStore): Promise<Demo | null> {
  const acts = await store.auditEntries({ who: ACTOR.who, what: ACTOR.what, limit: 100 });
  for (const id of new Set(acts.map(({ organizationId }) => organizationId))) {
    const organization = id === null ? null : await store.organization(id);
    if (organization === null || organization.disabled) continue;
    const usable = (await store.workflows(organization.id)).filter(
      ({ disabled, simulated }) => !disabled && !simulated,
    );
    const oldest = usable.at(-1);
    if (oldest !== undefined) return { organizationId: organization.id, workflow: oldest.id };
  }
  return null;
}

/**
 * Creates an organization with two workflows to try the service with: a real one, and a simulated one in which every
 * source of the catalog can be tried.
 */
async function createDemo(store: AdminStore, act: Act): Promise<Demo> {
  const { wallAt } = act;
  const organizationId = newId("organization", wallAt);
  const workflow = newId("workflow", wallAt);
  await store.createOrganization(act, { id: organizationId, name: "Demo", createdWallAt: wallAt });
  const settings = { ...PLAIN_WORKFLOW, organizationId, createdWallAt: wallAt };
  await store.createWorkflow(act, { ...settings, id: workflow, name: "demo" });
  const simulated = { id: newId("workflow", wallAt), name: "demo, simulated", simulated: true };
  await store.createWorkflow(act, { ...settings, ...simulated });
  return { organizationId, workflow };
}

/**
 * Makes the demo usable, and returns the text to print: commands to try and an address to open, or why there is no
 * demo.
 */
export async function openDemo(
  settings: Pick<Settings, "databaseUrl" | "console">,
  store: Pick<Store, "admin" | "sessions">,
  { url, adminUrl }: Pick<Service, "url" | "adminUrl">,
  clock: Clock,
): Promise<string> {
  if (settings.databaseUrl !== undefined) return NO_DEMO_ON_DATABASE;
  const commands = demoCommands(reachableAddress(url), await accessDemo(store.admin, clock));
  return settings.console === "off" ? commands : commands + linkText(await createConsoleLink(store, adminUrl, clock));
}

function linkText(link: string): string {
  return `Open the console (within ten minutes; its first user is logged in as an owner):\n\n${link}\n\n`;
}

const NO_DEMO_ON_DATABASE =
  "A demo organization is created in the embedded store only, and DATABASE_URL is set: none was created. The whole catalog is on.\n";

/** Commands to paste: five sources in one run, of which one finds no record and one fails; then a data function. */
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
    access.isNew
      ? "A demo organization was created. Its token is shown only once. Try:"
      : "The demo organization has a new token, which is valid for a day. Try:",
    `curl -s ${url}/data ${headers} -d '${JSON.stringify(data)}'`,
    `curl -s ${url}/func ${headers} -d '${JSON.stringify(func)}'`,
    "",
  ].join("\n\n");
}
