import { join, relative, resolve } from "node:path";
import { tokenState } from "../../../admin/operator-wire.ts";
import { createLedgerReader, type LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { RootKeyFiles } from "../../../credentials/root-key-files.ts";
import { hasJournal } from "../../../ledger/journal/journal-file.ts";
import { type JournalReader, openJournalReader } from "../../../ledger/read/journal-reader.ts";
import { isPublicAddress } from "../../../outbound/sockets/public-address.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { Store } from "../../../storage/store.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import type { CheckedSources } from "./check-project.ts";
import type { CheckReport } from "./findings.ts";
import { isReadableOnTheWay } from "../../../terms/http/origins.ts";
import { DAY_MS } from "../../../terms/time/durations.ts";
import { VARIABLES } from "../../../terms/variables.ts";

const OLD_MS = 30 * DAY_MS;
const UNKNOWN_MAX = 1_000;
/** The newest runs read; simulated ones are among them. */
const RUNS_LOOKED_AT = 50;

export interface ProductionParts {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataDir: string;
  /** Whether the data directory has readable key files. */
  readonly hasKeys: boolean;
  readonly sources: CheckedSources;
  /** `null` if the store could not be opened. */
  readonly store: Store | "none yet" | null;
  readonly clock: Clock;
}

type Admin = Store["admin"];

/** Reports what is acceptable in a trial and wrong in production. */
export async function checkProduction(parts: ProductionParts, report: CheckReport): Promise<void> {
  const { settings, store } = parts;
  if (settings.demo) report.add("production.demo", "demo is on");
  const host = settings.adminHost.replace(/^\[|\]$/g, "");
  if (["0.0.0.0", "::", "0"].includes(host) || isPublicAddress(host))
    report.add("production.admin_port", `admin_host is ${settings.adminHost}`);
  for (const origin of settings.outbound.privateOrigins)
    report.add("production.private_origins", `outbound.private_origins: ${origin}`);
  checkOrigins(parts.sources, report);
  checkReplies(parts.sources, report);
  checkData(parts.sources, parts.clock, report);
  checkRootKey(parts, report);
  if (store === null) return;
  // A deployment that was never started has no operators, and none of its sources has called a vendor.
  const admin = store === "none yet" ? null : store.admin;
  await checkOperators(parts, admin, report);
  if (admin !== null) await checkTokens(admin, report);
  await withLedger(parts, store, report, async (ledger) => {
    if (ledger !== null) await checkCharges(ledger, parts.clock, report);
    await checkLiveRuns(parts.sources, admin, ledger, parts.clock, report);
  });
}

function checkOrigins({ on }: CheckedSources, report: CheckReport): void {
  for (const [id, { source, file }] of on) {
    // An example has no vendor, and its origin is that of a published example.
    if (source.declaration["x-example"] === true) continue;
    const plain = (source.declaration.origins ?? []).filter(isReadableOnTheWay);
    const sent = [source.inputNames.length > 0 && "inputs", source.credentialUse !== "none" && "credentials"];
    const named = sent.filter((what) => what !== false).join(" and ");
    if (plain.length > 0 && named !== "")
      report.add("production.plain_http", `${id} may send ${named} to ${plain.join(", ")}`, { file });
  }
}

function checkReplies({ on }: CheckedSources, report: CheckReport): void {
  for (const [id, { source, file }] of on)
    if (source.declaration.reply?.lenient === true)
      report.add("production.lenient_replies", `${id} has reply.lenient`, { file });
}

function checkData({ on }: CheckedSources, clock: Clock, report: CheckReport): void {
  for (const [id, { source, file }] of on)
    for (const { name, date, max_age_days: maxDays } of source.declaration.data ?? []) {
      const days = Math.floor((clock.wall() - endOf(date)) / DAY_MS);
      if (maxDays !== undefined && days > maxDays)
        report.add(
          "production.old_data",
          `${id}: ${name} is of ${date}, ${days} days old, and ${maxDays} are allowed`,
          {
            file,
          },
        );
    }
}

/** The last moment of a day or a month, so that data never counts as older than it is; `NaN` for any other text. */
function endOf(date: string): number {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(date) ?? [];
  return day === undefined
    ? Date.UTC(Number(year), Number(month))
    : Date.UTC(Number(year), Number(month) - 1, Number(day) + 1);
}

function checkRootKey({ settings, environment, dataDir, hasKeys }: ProductionParts, report: CheckReport): void {
  const given = environment[VARIABLES.rootKeyFile] ?? "";
  const isInside = (file: string) => !/^\.\.(\/|$)/.test(relative(dataDir, resolve(file)));
  if (given !== "" && isInside(given)) {
    report.add("production.root_key_beside_data", `${VARIABLES.rootKeyFile} is in ${dataDir}`, {
      file: resolve(given),
    });
  } else if (hasKeys && settings.databaseUrl === undefined && new RootKeyFiles(dataDir).read().length > 0) {
    report.add("production.root_key_beside_data", `a root key file is in ${dataDir}`, { file: dataDir });
  }
}

async function checkOperators(
  { settings, clock }: ProductionParts,
  admin: Admin | null,
  report: CheckReport,
): Promise<void> {
  if (settings.oidc.issuer !== undefined) return;
  const now = clock.wall();
  if (((await admin?.operators()) ?? []).every((operator) => tokenState(operator, now) !== "active"))
    report.add("production.no_operator", "there is no operator");
}

async function checkTokens(admin: Admin, report: CheckReport): Promise<void> {
  for (const { id, disabled } of await admin.organizations()) {
    if (disabled) continue;
    const endless = (await admin.tokens(id)).filter(
      (token) => token.expiresWallAt === null && token.revokedWallAt === null,
    );
    if (endless.length > 0)
      report.add("production.endless_tokens", `${id}: ${endless.map((token) => token.id).join(", ")}`);
  }
}

async function checkCharges(ledger: LedgerAnswers, clock: Clock, report: CheckReport): Promise<void> {
  const before = clock.wall() - OLD_MS;
  const old = (await ledger.unknown({ limit: UNKNOWN_MAX })).filter((request) => request.sent_at < before).length;
  if (old === 0) return;
  const count = old === UNKNOWN_MAX ? `at least ${old}` : String(old);
  report.add(
    "production.old_unknown_charges",
    `${count} ${old === 1 ? "request has" : "requests have"} had an unknown charge for more than 30 days`,
  );
}

async function checkLiveRuns(
  { on }: CheckedSources,
  admin: Admin | null,
  ledger: LedgerAnswers | null,
  clock: Clock,
  report: CheckReport,
): Promise<void> {
  const tests = (await admin?.actsBetween(["source test", "source run", "prove"], 0, clock.wall() + 1)) ?? [];
  const tried = new Set(tests.filter(({ detail }) => detail["live"] === true).map(({ subjectId }) => subjectId));
  for (const [id, { source, file }] of on) {
    if (!source.leavesMachine || tried.has(id)) continue;
    const runs = (await ledger?.list({ source: id }, { limit: RUNS_LOOKED_AT }))?.runs ?? [];
    if (runs.every(({ simulated }) => simulated === 1))
      report.add("production.never_run_live", `${id} has never called its vendor`, { file });
  }
}

/**
 * Calls back with the shared ledger or that of this data directory; with `null` before the first start of a service.
 */
async function withLedger(
  { settings, dataDir }: ProductionParts,
  store: Store | "none yet",
  report: CheckReport,
  use: (ledger: LedgerAnswers | null) => Promise<void>,
): Promise<void> {
  if (settings.databaseUrl !== undefined)
    return use(store === "none yet" ? null : createLedgerReader(store.ledgerTables));
  const dir = join(dataDir, "ledger");
  if (!hasJournal(dir)) return use(null);
  let journal: JournalReader | undefined;
  try {
    journal = openJournalReader({ dir });
    await use(journal);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    report.add("ledger.unreadable", error.message, { file: dir });
  } finally {
    journal?.close();
  }
}
