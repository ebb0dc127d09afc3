import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Kysely } from "kysely";
import type { CheckCode } from "../../src/composition/commands/check/findings.ts";
import type { Disk, DiskFacts } from "../../src/composition/commands/check/disk.ts";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { runOnce, startLedger } from "../../src/ledger/ledger.kit.ts";
import { migrateStore } from "../../src/storage/migrate-store.ts";
import { MIGRATIONS } from "../../src/storage/migrations/index.ts";
import type { Tables } from "../../src/storage/tables.ts";
import { createSqliteDialect } from "../../src/storage/sqlite/dialect.ts";
import { openSqlite, STORE_FILE } from "../../src/storage/sqlite/engine.ts";
import { systemClock, type Clock } from "../../src/terms/time/clock.ts";
import { createOperator, type Operator } from "../rig/organization.ts";
import { Secrets } from "../rig/secrets.ts";
import { asksVendor } from "../rig/sources.ts";
import { startService } from "../rig/service.ts";
import { refusingOrigin, startVendor } from "../vendor/scripted-vendor.ts";

/** Of a deployment that was never started. */
const NO_OPERATOR = "production.no_operator";

/** A deployment with one thing that a check reports. */
export interface Fixture {
  readonly code: CheckCode;
  /** How it differs from one in which nothing is found. */
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly given?: Readonly<Record<string, string | boolean>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly disk?: Partial<DiskFacts> & { readonly syncMs?: number };
  readonly clock?: Clock;
  readonly asked?: "production" | "connect";
  /** Makes what files cannot. What it returns is added to the options. */
  readonly prepare?: (t: TestContext, dataDir: string) => Promise<Readonly<Record<string, string>> | void>;
  /** In what is said. */
  readonly says: RegExp;
  /** What is found as well, by the nature of it. */
  readonly also?: readonly CheckCode[];
  readonly line?: number;
}

const GIB = 1024 ** 3;
const EXT4 = 0xef53;

export function diskOf({ syncMs = 1, ...facts }: NonNullable<Fixture["disk"]> = {}): Disk {
  return {
    statfs: () => ({ type: EXT4, freeBytes: 100 * GIB, bytes: 200 * GIB, ...facts }),
    syncMs: () => syncMs,
  };
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A source that nothing is wrong with, and one line more. */
export function sourceText(id: string, more = ""): string {
  return `export default { id: "${id}", title: "T", inputs: {}, run: () => ({}),
  cases: [{ name: "any", inputs: {}, expect: { match: true, output: {} } }],
  ${more} };`;
}

const FUNCTION = `import { defineFunction } from "datarun";
export default defineFunction({ id: "dfunc_own", title: "Own", run: async () => ({ output: {} }) });`;

const newKey = (): string => randomBytes(32).toString("base64");
const days = (count: number): Clock => ({ ...systemClock, wall: () => Date.now() + count * 86_400_000 });

/** A store on which every step but the newest was taken. */
async function makeOlderStore(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  using database = new DatabaseSync(join(dataDir, STORE_FILE));
  const none = async () => {};
  const steps = { engine: "sqlite", migrations: MIGRATIONS.slice(0, -1), lock: none, assertFree: none } as const;
  await migrateStore(new Kysely<Tables>({ dialect: createSqliteDialect(database, systemClock) }), 0, steps);
}

/** With a root key from outside and somebody who operates it, as production has them. */
export async function onStore(
  dataDir: string,
  use: (operator: Operator & { dismissAll(): Promise<unknown> }) => Promise<unknown>,
  rootKey = newKey(),
): Promise<Record<string, string>> {
  const opened = await openKeyedStore({
    dataDir,
    databaseUrl: undefined,
    rootKey,
    clock: systemClock,
    opening: "make",
  });
  const operator = createOperator(opened, systemClock, new Secrets());
  // One fixture comes to the same store twice.
  const ada = await operator.appoint("owner", `ada-${randomBytes(4).toString("hex")}`);
  await use({ ...operator, dismissAll: () => operator.dismiss(ada.id) });
  await opened.store.close();
  return { DATARUN_ROOT_KEY: rootKey };
}

const ACME = { source: "acme__keyed", fields: { api_key: "k" } };
const KEYED = `credentials: { type: "object", properties: { api_key: { type: "string" } } },`;

export const FIXTURES: readonly Fixture[] = [
  {
    code: "settings.invalid",
    name: "a misspelled key of the config file",
    files: { "datarun.config.mjs": `export default {\n  limits: {\n    rnus: 5,\n  },\n};` },
    says: /^limits\.rnus in the config file is not a setting: did you mean "limits\.runs"\?$/,
    line: 3,
  },
  {
    code: "settings.invalid",
    name: "a config file that is no code",
    files: { "datarun.config.mjs": `export default {\n  port: 80 80,\n};` },
    says: /datarun\.config\.mjs/,
  },
  {
    code: "settings.invalid",
    name: "an option with a value that it cannot have",
    given: { port: "99999" },
    says: /^--port must be from 0 to 65535$/,
  },
  {
    code: "settings.invalid",
    name: "a variable that is nearly a setting",
    environment: { DATARUN_LIMIT_RUNS: "4" },
    says: /did you mean DATARUN_LIMITS_RUNS\?$/,
  },
  {
    code: "settings.invalid",
    name: "a secret's file that is missing",
    environment: { DATARUN_ROOT_KEY_FILE: "/nowhere/root-key" },
    says: /^DATARUN_ROOT_KEY_FILE: there is no file \/nowhere\/root-key$/,
  },
  {
    code: "settings.invalid",
    name: "a proxy that is not an address",
    given: { "outbound-proxy": "proxy.example:8080" },
    says: /^outbound: the egress proxy must be given as http:\/\/host:port$/,
  },
  {
    code: "settings.invalid",
    name: "groups with a role, and no identity provider",
    given: { "oidc-owners": "datarun-owners" },
    says: /^oidc\.owners is set, and oidc\.issuer is not$/,
  },
  {
    code: "settings.invalid",
    name: "an identity provider that is asked in the clear",
    given: { "oidc-issuer": "http://login.acme.example", "oidc-client-id": "datarun" },
    says: /^oidc\.issuer must begin with https, unless it is on this machine$/,
  },
  {
    code: "settings.invalid",
    name: "authorities in no file",
    given: { "outbound-ca-file": "/nowhere/ca.pem" },
    says: /^outbound\.ca_file: there is no file \/nowhere\/ca\.pem$/,
  },
  {
    code: "settings.invalid",
    name: "authorities in a file that holds none, trusted by vendors and by a collector",
    given: { "outbound-ca-file": fileURLToPath(import.meta.url), "otlp-endpoint": "http://127.0.0.1:4318/v1/traces" },
    says: /^outbound: the extra certificate authorities hold no certificate in PEM form$/,
  },
  {
    code: "settings.renamed",
    name: "a key of an earlier version",
    files: { "datarun.config.mjs": `export default {\n  limits: { connections: 500 },\n};` },
    says: /^limits\.connections in the config file is named limits\.expert\.connections now$/,
    line: 2,
  },
  {
    code: "otel.ignored",
    name: "headers for a collector that are none",
    environment: { OTEL_EXPORTER_OTLP_HEADERS: "only-a-key" },
    says: /^OTEL_EXPORTER_OTLP_HEADERS: must be NAME=VALUE pairs separated by commas, with names/,
  },
  {
    code: "host.not_here",
    name: "an address of another machine",
    given: { host: "192.0.2.1", port: "8080" },
    says: /^listen EADDRNOTAVAIL: address not available 192\.0\.2\.1:8080$/,
  },
  {
    code: "host.not_here",
    name: "a name that nothing has",
    given: { "admin-host": "nowhere.invalid" },
    says: /^getaddrinfo \w+ nowhere\.invalid$/,
  },
  {
    code: "login.no_roles",
    name: "an identity provider, and no group that has a role",
    given: { "oidc-issuer": "https://login.acme.example", "oidc-client-id": "datarun" },
    says: /^oidc\.viewers, oidc\.operators and oidc\.owners are empty$/,
  },
  {
    code: "catalog.names_nothing",
    name: "a misspelled pattern",
    given: { catalog: "gleif__*,glief__*" },
    says: /^catalog: "glief__\*" matches no source: did you mean "gleif__\*"\?$/,
  },
  {
    code: "catalogs.refused",
    name: "a package of sources that is not installed",
    given: { catalogs: "datarun-catalog-none" },
    says: /package\.json: datarun-catalog-none is not installed: npm install datarun-catalog-none$/,
  },
  {
    code: "origins.names_nothing",
    name: "an origin with another port than the source's",
    files: { "sources/a.mjs": sourceText("acme__a", `origins: ["https://a.example:8443"],`) },
    given: { "outbound-private-origins": "https://a.example" },
    says: /^outbound\.private_origins: no source that is on declares https:\/\/a\.example$/,
  },
  {
    code: "project.file_broken",
    name: "a source without a title",
    files: { "sources/a.yaml": `id: acme__a\n` },
    says: /a\.yaml:1:1: a source needs the key "title"/,
    line: 1,
  },
  {
    code: "project.file_broken",
    name: "a source that throws when it is loaded",
    files: { "sources/a.mjs": `throw new Error("not today");` },
    says: /a\.mjs.*not today/s,
  },
  {
    code: "project.file_broken",
    name: "an empty list of origins",
    files: { "sources/a.mjs": sourceText("acme__a", `origins: [],`) },
    says: /a\.mjs.*origins/s,
  },
  {
    code: "project.file_broken",
    name: "a schema that is none",
    files: { "sources/a.mjs": sourceText("acme__a", `output: { type: "not a type" },`) },
    says: /output is not a valid JSON Schema/,
  },
  {
    code: "project.file_broken",
    name: "two sources with one id",
    files: { "sources/a.mjs": sourceText("acme__a"), "sources/b.mjs": sourceText("acme__a") },
    says: /its id acme__a is already used by/,
  },
  {
    code: "project.file_broken",
    name: "a function that imports what there is not",
    files: { "functions/own.ts": `import "./none.ts";\n${FUNCTION}` },
    says: /own\.ts.*none/s,
  },
  {
    code: "project.file_broken",
    name: "cases of a source that are no JSON",
    files: {
      "sources/a.mjs": sourceText("acme__a").replace(/cases:.*\n/, "\n"),
      "sources/a.cases.json": "[",
    },
    says: /its cases in a\.cases\.json cannot be used/,
  },
  {
    code: "project.no_cases",
    name: "a source without cases",
    files: { "sources/a.mjs": sourceText("acme__a").replace(/cases:.*\n/, "\n") },
    says: /^acme__a has no cases$/,
  },
  {
    code: "project.no_cases",
    name: "a function without cases",
    files: { "functions/own.ts": FUNCTION },
    says: /^dfunc_own has no cases$/,
  },
  {
    code: "project.cases_broken",
    name: "cases of a function with a misspelled key",
    files: { "functions/own.ts": FUNCTION, "functions/own.cases.json": `[{"name":"a","inputs":{},"expcet":{}}]` },
    says: /own\.cases\.json.*case 1 \(a\) must have an object "expect"/s,
  },
  {
    code: "source.region_refused",
    name: "a source for another region",
    files: { "sources/a.mjs": sourceText("acme__a", `regions: ["eu"],`) },
    given: { region: "us" },
    says: /^acme__a is for eu, and this region is us$/,
  },
  {
    code: "credential.names_nothing",
    name: "a credential for no source",
    prepare: (_t, dataDir) =>
      onStore(dataDir, async (operator) => operator.storeCredential(await operator.createOrganization("A"), ACME)),
    says: /^cred_\w+ of org_\w+: there is no source acme__keyed$/,
  },
  {
    code: "credential.names_nothing",
    name: "a credential for a source that is off",
    prepare: (_t, dataDir) =>
      onStore(dataDir, async (operator) =>
        operator.storeCredential(await operator.createOrganization("A"), { ...ACME, source: "kvk__company_profile" }),
      ),
    says: /: the source kvk__company_profile is off$/,
  },
  {
    code: "credential.region_refused",
    name: "a credential for another region, and none for this one",
    files: { "sources/a.mjs": sourceText("acme__keyed", KEYED) },
    given: { region: "us" },
    prepare: (_t, dataDir) =>
      onStore(dataDir, async (operator) =>
        operator.storeCredential(await operator.createOrganization("A"), { ...ACME, regions: ["eu"] }),
      ),
    says: /: for acme__keyed, but not in the region us$/,
  },
  {
    code: "store.refused",
    name: "a store that is not a database",
    prepare: async (_t, dataDir) => write(dataDir, { "store.sqlite": "not a database".repeat(100) }),
    says: /^The store in .* cannot be opened: file is not a database$/,
  },
  {
    code: "store.refused",
    name: "a store of a newer version",
    prepare: async (_t, dataDir) =>
      (await openSqlite(dataDir, systemClock, [...MIGRATIONS, { name: "9999_future", up: async () => {} }])).close(),
    says: /by a newer version of datarun/,
  },
  {
    code: "store.refused",
    name: "a journal with runs and no store",
    prepare: async (t, dataDir) => {
      const { ledger } = await startLedger(t, { directory: join(dataDir, "ledger") });
      await runOnce(ledger);
      await ledger.close();
    },
    says: /^There is no store in .*, but the journal in .* has runs of a ledger of its own\. Restore the store/,
  },
  {
    code: "store.unreachable",
    name: "a database where nothing listens",
    environment: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", DATARUN_ROOT_KEY: newKey() },
    says: /127\.0\.0\.1:1/,
  },
  {
    code: "store.not_migrated",
    name: "a store of the version before",
    prepare: async (_t, dataDir) => makeOlderStore(dataDir),
    says: /^This store has schema \d+, and this version of datarun works on schema \d+/,
  },
  {
    code: "keys.refused",
    name: "a root key that is too short",
    environment: { DATARUN_ROOT_KEY: "c2hvcnQ=" },
    says: /^DATARUN_ROOT_KEY must be 32 bytes in base64, and is 5/,
  },
  {
    code: "keys.refused",
    name: "a root key file that others may read",
    prepare: async (_t, dataDir) => write(dataDir, { "root-1.key": `${newKey()}\n` }),
    says: /root-1\.key has mode 644, so others may read the root key/,
  },
  {
    code: "keys.refused",
    name: "another root key than the store's",
    files: { "sources/a.mjs": sourceText("acme__keyed", KEYED) },
    prepare: async (_t, dataDir) => {
      await onStore(dataDir, async (operator) =>
        operator.storeCredential(await operator.createOrganization("A"), ACME),
      );
      return { DATARUN_ROOT_KEY: newKey() };
    },
    says: /^DATARUN_ROOT_KEY does not hold the root key/,
  },
  {
    code: "keys.unreadable",
    name: "one of two root keys is missing",
    files: { "sources/a.mjs": sourceText("acme__keyed", KEYED) },
    prepare: async (_t, dataDir) => {
      const [first, second] = [`first:${newKey()}`, `second:${newKey()}`];
      for (const keys of [first, `${second},${first}`])
        await onStore(
          dataDir,
          async (operator) => operator.storeCredential(await operator.createOrganization("A"), ACME),
          keys,
        );
      return { DATARUN_ROOT_KEY: second };
    },
    says: /^1 of 2 data keys cannot be opened$/,
  },
  {
    code: "data_dir.unusable",
    name: "a file in place of the data directory",
    prepare: async (_t, dataDir) => {
      rmSync(dataDir, { recursive: true, force: true });
      writeFileSync(dataDir, "");
    },
    says: /^The store in .* cannot be opened: a file stands where its folder should be$/,
  },
  {
    code: "data_dir.unusable",
    name: "a file in place of the journal's folder",
    prepare: async (_t, dataDir) => write(dataDir, { ledger: "" }),
    says: /^EEXIST: file already exists, mkdir '.*ledger'$/,
  },
  {
    code: "data_dir.unusable",
    name: "a file in place of the budgets' folder",
    prepare: async (_t, dataDir) => write(dataDir, { budgets: "" }),
    says: /^ENOTDIR: not a directory, scandir '.*budgets'$/,
  },
  {
    code: "data_dir.not_local",
    name: "a disk in the network",
    disk: { type: 0x6969 },
    says: /is on a network \(NFS\)$/,
  },
  { code: "data_dir.in_memory", name: "a disk in memory", disk: { type: 0x01021994 }, says: /is in memory \(tmpfs\)$/ },
  { code: "data_dir.slow", name: "a slow disk", disk: { syncMs: 80.04 }, says: /is confirmed after 80 ms$/ },
  {
    code: "journal.no_room",
    name: "a full disk",
    disk: { freeBytes: 1.03 * GIB },
    says: /has 30 MiB left for the ledger$/,
  },
  {
    code: "production.demo",
    name: "the demo",
    given: { demo: true },
    asked: "production",
    says: /^demo is on$/,
    also: [NO_OPERATOR, "production.never_run_live"],
  },
  {
    code: "production.admin_port",
    name: "an admin port on all addresses",
    given: { "admin-host": "0.0.0.0" },
    asked: "production",
    says: /^admin_host is 0\.0\.0\.0$/,
    also: [NO_OPERATOR],
  },
  {
    code: "production.no_operator",
    name: "nobody but one whose token was revoked",
    asked: "production",
    prepare: (_t, dataDir) => onStore(dataDir, (operator) => operator.dismissAll()),
    says: /^there is no operator$/,
  },
  {
    code: NO_OPERATOR,
    name: "a deployment that was never started",
    asked: "production",
    says: /^there is no operator$/,
  },
  {
    code: "production.endless_tokens",
    name: "a token without an end",
    asked: "production",
    prepare: (_t, dataDir) => onStore(dataDir, (operator) => operator.createOrganization("A")),
    says: /^org_\w+: tok_\w+$/,
  },
  {
    code: "production.root_key_beside_data",
    name: "the key file that a first start makes",
    asked: "production",
    prepare: async (_t, dataDir) => {
      const opened = await openKeyedStore({ dataDir, databaseUrl: undefined, rootKey: undefined, clock: systemClock });
      await createOperator(opened, systemClock, new Secrets()).appoint("owner");
      await opened.store.close();
    },
    says: /^a root key file is in /,
  },
  {
    code: "production.never_run_live",
    name: "a source that nobody has tried",
    files: { "sources/a.mjs": sourceText("acme__a", `origins: ["https://a.example"],`) },
    asked: "production",
    prepare: (_t, dataDir) => onStore(dataDir, async () => {}),
    says: /^acme__a has never called its vendor$/,
  },
  {
    code: "production.never_run_live",
    name: "a source of a deployment that was never started",
    files: { "sources/a.mjs": sourceText("acme__a", `origins: ["https://a.example"],`) },
    asked: "production",
    says: /^acme__a has never called its vendor$/,
    also: [NO_OPERATOR],
  },
  {
    code: "production.old_unknown_charges",
    name: "a request whose charge nobody has settled",
    asked: "production",
    clock: days(31),
    prepare: async (t) => {
      const vendor = await startVendor(t);
      const lost = asksVendor("acme__lost", vendor, "/status/500");
      const service = await startService(t, { sources: [lost], vendors: [vendor] });
      await service.run({ acme__lost: true });
      await service.operator.appoint("owner");
      for (const { tokenId } of [service.a, service.b]) await service.operator.revokeToken(tokenId);
      await service.close();
      rmSync(join(service.dataDir, "root-1.key"));
      return { DATARUN_DATA_DIR: service.dataDir, DATARUN_ROOT_KEY: newKey() };
    },
    says: /^1 request has had an unknown charge for more than 30 days$/,
  },
  {
    code: "production.private_origins",
    name: "a private origin",
    files: { "sources/a.mjs": sourceText("acme__a", `origins: ["https://a.example"],`) },
    given: { "outbound-private-origins": "https://a.example" },
    asked: "production",
    says: /^outbound\.private_origins: https:\/\/a\.example$/,
    also: [NO_OPERATOR, "production.never_run_live"],
  },
  {
    code: "production.plain_http",
    name: "a key and an input in a request that can be read on the way",
    files: {
      "sources/a.mjs": sourceText(
        "acme__a",
        `inputs: { type: "object", properties: { number: { type: "string" } } }, ${KEYED}
         origins: ["https://a.example", "http://b.example:8080", "http://*.c.example"],`,
      ),
    },
    asked: "production",
    says: /^acme__a may send inputs and credentials to http:\/\/b\.example:8080, http:\/\/\*\.c\.example$/,
    also: [NO_OPERATOR, "production.never_run_live"],
  },
  {
    code: "production.plain_http",
    name: "an input in such a request, inside of a network",
    files: {
      "sources/a.mjs": sourceText(
        "acme__a",
        `inputs: { type: "object", properties: { number: { type: "string" } } }, origins: ["http://10.0.0.7"],`,
      ),
    },
    asked: "production",
    says: /^acme__a may send inputs to http:\/\/10\.0\.0\.7$/,
    also: [NO_OPERATOR, "production.never_run_live"],
  },
  {
    code: "production.lenient_replies",
    name: "a source that accepts invalid HTTP",
    files: {
      "sources/a.mjs": sourceText("acme__a", `reply: { lenient: true }, origins: ["https://a.example"],`),
      "sources/b.mjs": sourceText("acme__b", `reply: { lenient: false }, origins: ["https://a.example"],`),
    },
    asked: "production",
    says: /^acme__a has reply\.lenient$/,
    also: [NO_OPERATOR, "production.never_run_live"],
  },
  {
    code: "production.old_data",
    name: "a source with a table of long ago",
    files: {
      "sources/a.mjs": sourceText(
        "acme__a",
        `data: [{ name: "Rules", licence: "MIT", date: "2026-01", max_age_days: 30 }, { name: "Names", licence: "MIT", date: "2026-01" }],`,
      ),
    },
    asked: "production",
    clock: { ...systemClock, wall: () => Date.UTC(2026, 2, 4) },
    says: /^acme__a: Rules is of 2026-01, 31 days old, and 30 are allowed$/,
    also: [NO_OPERATOR],
  },
  {
    code: "project.file_broken",
    name: "a data file that no source has",
    files: { "datarun.config.mjs": `export default { catalog_data: "newer" };`, "newer/iptoasn.mmdb": "" },
    says: /iptoasn\.mmdb: no source has a data file of this name: known are iptoasn-country\.mmdb$/,
  },
  {
    code: "project.file_broken",
    name: "a data file that is none",
    files: { "datarun.config.mjs": `export default { catalog_data: "newer" };`, "newer/iptoasn-country.mmdb": "x" },
    says: /iptoasn-country\.mmdb: it cannot be used as data of iptoasn__ip_country: ./,
  },
  {
    code: "ledger.unreadable",
    name: "a journal that is not a database",
    asked: "production",
    prepare: async (_t, dataDir) => {
      write(dataDir, { "ledger/journal.db": "not a database".repeat(100) });
      return onStore(dataDir, async () => {});
    },
    says: /^The journal in .* is damaged/,
  },
  {
    code: "connect.identity_provider",
    name: "an identity provider where nothing listens",
    given: { "oidc-issuer": "http://127.0.0.1:1", "oidc-client-id": "datarun", "oidc-owners": "owners" },
    asked: "connect",
    says: /^The identity provider \(127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\)\.$/,
  },
  {
    code: "connect.failed",
    name: "a vendor where nothing listens",
    asked: "connect",
    prepare: async (_t, dataDir) => {
      const origin = await refusingOrigin();
      write(join(dataDir, "../project"), { "sources/a.mjs": sourceText("acme__a", `origins: ["${origin}"],`) });
    },
    says: /^http:\/\/127\.0\.0\.1:\d+: no connection \(ECONNREFUSED\)$/,
  },
];
