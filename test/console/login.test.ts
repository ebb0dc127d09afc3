import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startService } from "../rig/service.ts";

test("an operator logs in with a token and is where the address says", { skip: NO_BROWSER }, async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("viewer", "ada");
  const page = await openConsole(t, service, { as: null, at: "/audit?org=", failing: /\/api\/session/ });
  await assertUsableEverywhere(page);

  const token = page.getByLabel("Operator token");
  await token.fill("dop_nobody");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "not accepted" }).waitFor();
  await token.fill(ada.token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit" }).waitFor();
  await page.getByText("ada viewer").waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/audit");
  await page.getByRole("cell", { name: "session begin" }).waitFor();
  await assertUsableEverywhere(page);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/audit.png` });

  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
});
