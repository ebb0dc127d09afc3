import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openConsole, untilLoaded } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";

// The pictures of the first tutorial, to be made again when the pages have changed:
//   node --no-node-snapshot --test test/console/take-pictures.ts

const FOLDER = fileURLToPath(new URL("../../docs/images", import.meta.url));

test("pictures", async (t) => {
  mkdirSync(FOLDER, { recursive: true });
  const world = await startWorld(t, "day");
  const { runs } = await world.verb("ledger list", { charged: "unknown", limit: 1 });
  for (const [name, at] of [
    ["console-overview", "/"],
    ["console-run", `/runs/${runs[0].transaction_id}`],
  ] as const) {
    const page = await openConsole(t, world.service, { as: world.owner, at, width: 1200, height: 760 });
    await untilLoaded(page);
    if (at === "/") await page.getByRole("img", { name: /^Calls by outcome/ }).waitFor();
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await page.close();
  }
});
