import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "../rig/browser-session.ts";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { type KnownPerson, startIdentityProvider } from "../rig/identity-provider.ts";
import { startService } from "../rig/service.ts";

/** A 401 is in the browser's own console, and no mistake. */
const FAILING = /\/api\//;

test("a link with a code logs in once, and the code does not stay in the address", { skip: NO_BROWSER }, async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("owner", "ada");
  const code = await service.operator.makeLoginCode(ada);
  const at = `/audit?who=ada#code=${code}`;
  const page = await openConsole(t, service, { as: null, at });
  await page.getByText("ada owner").waitFor();
  assert.equal(page.url(), `${service.adminUrl}/console/audit?who=ada`);
  await page.reload();
  await page.getByText("ada owner").waitFor();

  const other = await openConsole(t, service, { as: null, at, failing: FAILING });
  await other.getByRole("alert").filter({ hasText: "it has been used" }).waitFor();
  assert.equal(other.url(), `${service.adminUrl}/console/audit?who=ada`);
  await assertUsableEverywhere(other);
  await other.getByLabel("Operator token").fill(ada.token);
  await other.keyboard.press("Enter");
  await other.getByText("ada owner").waitFor();
  assert.equal(await other.getByRole("alert").count(), 0);
});

test(
  "people log in with the identity provider, come back to where they were, and scripts see no cookie",
  { skip: NO_BROWSER },
  async (t) => {
    const people: Record<string, KnownPerson> = {
      ada: { email: "ada@acme.example", email_verified: true, groups: ["owners"] },
      bob: { email: "bob@acme.example", email_verified: true, groups: ["guests"] },
    };
    const provider = await startIdentityProvider(t, people);
    const service = await startService(t, {
      settings: { "oidc.issuer": provider.issuer, "oidc.client_id": provider.clientId, "oidc.owners": "owners" },
      environment: { DATARUN_OIDC_CLIENT_SECRET: provider.clientSecret },
    });
    provider.allow(service.adminUrl);
    service.secrets.add(provider.clientSecret);
    const page = await openConsole(t, service, {
      as: null,
      at: "/audit?what=session+begin",
      leadsTo: provider.issuer,
      failing: FAILING,
    });
    await assertUsableEverywhere(page);
    const button = page.getByRole("button", { name: `Log in with ${new URL(provider.issuer).host}` });
    const goAs = async (name: string) => {
      await button.click();
      await page.getByRole("button", { name }).click();
    };
    await goAs("bob");
    await page.getByRole("alert").filter({ hasText: "bob@acme.example is in no group that has a role here" }).waitFor();
    await page.context().clearCookies();
    await goAs("Cancel");
    await page.getByRole("alert").filter({ hasText: "did not let you in (access_denied)" }).waitFor();
    await goAs("ada");
    await page.getByText("ada@acme.example owner").waitFor();
    assert.equal(page.url(), `${service.adminUrl}/console/audit?what=session+begin`);
    await page.getByRole("cell", { name: "session begin" }).waitFor();
    assert.equal(await page.evaluate("document.cookie"), "");
    const cookies = await page.context().cookies(service.adminUrl);
    const own = cookies.filter(({ name }) => name.startsWith("datarun"));
    assert.deepEqual(
      own.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [["datarun", true, "Strict"]],
    );
    // Whoever opens the address of the way back has nothing to come back from.
    await page.goto(`${service.adminUrl}/console/login`);
    await page.getByText("ada@acme.example owner").waitFor();
    assert.equal(page.url(), `${service.adminUrl}/console/`);

    // Who was revoked can be let in again, by somebody who is told what that means.
    const owner = await openConsole(t, service, { at: "/access?tab=operators" });
    const row = owner.getByRole("row").filter({ hasText: "ada@acme.example" });
    await row.getByRole("button", { name: "Revoke" }).click();
    await owner.getByRole("dialog").getByText("An owner can restore the access.").waitFor();
    await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.getByRole("button", { name: "Restore" }).click();
    await owner.getByRole("dialog").getByText("Earlier sessions stay ended.").waitFor();
    await assertUsableEverywhere(owner);
    await owner.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await row.getByText("active").waitFor();
  },
);

test("when a session ends, what was typed stays, and the same person goes on", { skip: NO_BROWSER }, async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("viewer", "ada");
  const page = await openConsole(t, service, { as: ada, at: "/audit", failing: FAILING });
  await page.getByRole("cell", { name: "session begin" }).waitFor();
  const [cookie] = await page.context().cookies(service.adminUrl);
  const Cookie = `datarun=${cookie!.value}`;
  const ended = await fetch(`${service.adminUrl}/api/session/end`, {
    method: "POST",
    headers: { ...pageOf(service), Cookie },
  });
  assert.equal(ended.status, 200);

  await page.getByLabel("From").fill("2026-01-01");
  await page.getByLabel("Action").fill("session end");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.waitFor();
  await assertUsableEverywhere(page);
  await dialog.getByLabel("Operator token").fill(ada.token);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "session end" }).waitFor();
  assert.equal(await page.getByLabel("From").inputValue(), "2026-01-01");
  assert.equal(await page.getByRole("alert").count(), 0);
});

test(
  "the Overview, which only listens, says by itself that the session has ended, and goes on after a login",
  { skip: NO_BROWSER },
  async (t) => {
    const service = await startService(t);
    const ada = await service.operator.appoint("viewer", "ada");
    const page = await openConsole(t, service, { as: ada, failing: FAILING });
    await page.locator(".pulse[data-live=yes]").waitFor();
    const [cookie] = await page.context().cookies(service.adminUrl);
    await fetch(`${service.adminUrl}/api/session/end`, {
      method: "POST",
      headers: { ...pageOf(service), Cookie: `datarun=${cookie!.value}` },
    });
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await dialog.getByLabel("Operator token").fill(ada.token);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.locator(".pulse[data-live=yes]").waitFor();
  },
);
