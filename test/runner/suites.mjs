// Which test files belong to which suite, and which of them share a process.

/** Suites, from the smallest: each has all files of the one before it. */
export const SUITES = ["quick", "ordinary", "all", "long"];

/**
 * Files of `all` that are not in `ordinary`, with what makes them expensive. What they guarantee is also tested, in fewer
 * ways, by cheaper files.
 */
const EXPENSIVE = {
  "bench/bench.test.ts": "starts every peer of the benchmark",
  "catalog/sources/registration-numbers.test.ts": "checks some 30,000 numbers",
  "src/functions/catalog.test.ts": "bundles the functions of many projects",
  "src/functions/contract.test.ts": "uses up the processor time of many runs",
  "src/limits/budgets/replicas.test.ts": "simulates many processes",
  "src/ledger/flipped-bits.test.ts": "damages a journal bit by bit",
  "src/storage/store-history.test.ts": "histories again after every change, on both engines",
  "src/storage/store-totals.test.ts": "sums again after every change, on both engines",
  "src/storage/postgres/ledger-lists.test.ts": "fills databases",
  "test/admin/remote.test.ts": "starts a process for every command",
  "test/apply/command.test.ts": "starts a process for every command",
  "test/apply/guide.test.ts": "does what a guide says",
  "test/batch/compare-guide.test.ts": "does what a guide says",
  "test/batch/guide.test.ts": "does what a guide says",
  "test/batch/kill.test.ts": "kills services and commands",
  "test/batch/refusals.test.ts": "starts a process for every command",
  "test/budgets/crash.test.ts": "kills services",
  "test/budgets/roads.test.ts": "starts replicas",
  "test/check/command.test.ts": "starts a process for every command",
  "test/check/findings.test.ts": "starts a service for every finding",
  "test/check/same-as-start.test.ts": "starts a service for every finding",
  "test/cli/function-verbs.test.ts": "starts a process for every command",
  "test/cli/prove-catalog.test.ts": "plays every free vendor of the catalog",
  "test/cli/same-output.test.ts": "starts a process for every command",
  "test/cli/source-imports.test.ts": "runs the cases of every draft",
  "test/cli/source-verbs.test.ts": "starts a process for every command",
  "test/cli/watch.test.ts": "starts a process for every command",
  "test/clients/call-page.test.ts": "compiles the programs of a page",
  "test/clients/generated-clients.test.ts": "runs three generators and their compilers",
  "test/clients/typed-clients.test.ts": "starts a process for every command, and compilers",
  "test/console/": "opens pages in a browser",
  "test/contract/": "runs two compilers and pyright",
  "test/func/catalog-functions.test.ts": "runs the cases of every function of the catalog",
  "test/health/": "simulates months of replies",
  "test/hostile/": "attacks a service with a small heap",
  "test/keys/rotate.test.ts": "starts a process for every command",
  "test/ledger/shared.test.ts": "kills services and their database",
  "test/lifecycle/backup-crash.test.ts": "kills services",
  "test/lifecycle/crash.test.ts": "kills services",
  "test/lifecycle/functions.test.ts": "kills services",
  "test/lifecycle/recorded-versions.test.ts": "kills services",
  "test/lifecycle/replica-limits.test.ts": "kills replicas",
  "test/lifecycle/rolling-restart.test.ts": "starts replicas",
  "test/lifecycle/stalled-log.test.ts": "writes megabytes of log",
  "test/lifecycle/versions.test.ts": "kills services and replicas of two versions",
  "test/overload/journal-share.test.ts": "fills a journal of 16 MiB",
  "test/overload/unauthenticated-clients.test.ts": "sends bodies in a million pieces",
  "test/package/": "packs and installs the package",
  "test/safe-change-guide.test.ts": "does what a guide says",
  "test/start/cold-start.test.ts": "starts a service a dozen times",
  "test/start/dev.test.ts": "starts services and waits for reloads",
  "test/start/mock.test.ts": "starts a service for every option",
  "test/start/one-deployment.test.ts": "starts a process for every command",
  "test/start/pgbouncer.test.ts": "starts replicas",
  "test/start/postgres.test.ts": "kills the database of replicas",
  "test/start/project.test.ts": "starts a service for every mistake",
  "test/start/store-copy.test.ts": "kills a copy of a store at each of its steps",
  "test/start/versions-on-postgres.test.ts": "starts replicas",
  "test/tutorials.test.ts": "does what the tutorials say",
};

/** Files below the paths above that are in `ordinary` all the same. */
const ORDINARY = new Set(["test/console/files.test.ts"]);

/** Files that need a process of their own: they count and end the child processes of their process. */
const ALONE = [
  "src/functions/bridge.test.ts",
  "src/functions/catalog.test.ts",
  "src/functions/containment.test.ts",
  "src/functions/contract.test.ts",
  "src/functions/flood.test.ts",
  "src/functions/imports/attacks.kit.test.ts",
  "src/functions/memory.test.ts",
  "src/functions/pool/pool.test.ts",
  "src/functions/shared-pool.test.ts",
  "src/functions/web.test.ts",
  "test/long/",
];
const WITH_ISOLATES = ["src/functions/child/"];

/** Black-box files of the three routes and of the admin port, which `all` runs on PostgreSQL too. */
const ON_BOTH_STORES = [
  "test/data/",
  "test/func/",
  "test/status/",
  "test/admin/",
  "test/apply/command.test.ts",
  "test/budgets/life.test.ts",
];
/** Below those, files about what no store has a part in. */
const ON_ONE_STORE = new Set([
  "test/data/422.test.ts",
  "test/data/simulated-isolation.test.ts",
  "test/func/422.test.ts",
  "test/func/catalog-functions.test.ts",
]);
/** Those that `ordinary` runs on PostgreSQL. */
const ON_POSTGRES_ORDINARILY = [
  "test/data/200.test.ts",
  "test/data/401.test.ts",
  "test/data/charges.test.ts",
  "test/data/credentials.test.ts",
  "test/func/200.test.ts",
  "test/admin/money.test.ts",
];
/** Success is the same of the service and of `datarun mock`. */
const ON_MOCK = new Set(["test/data/200.test.ts", "test/func/200.test.ts", "test/status/200.test.ts"]);

/** What a file of `quick` may take on an idle machine. */
const QUICK_SECONDS_MAX = 0.5;
const QUICK_ALWAYS = /^test\/(data|func|status)\/\d{3}\.test\.ts$/;

const isUnder = (paths, file) => paths.some((path) => file.startsWith(path));

/** The smallest suite that a file belongs to. */
export function suiteOf(file, usual) {
  if (file.startsWith("test/long/")) return "long";
  if (isUnder(Object.keys(EXPENSIVE), file) && !ORDINARY.has(file)) return "all";
  const isQuick = QUICK_ALWAYS.test(file) || (!file.startsWith("test/") && usual(file) <= QUICK_SECONDS_MAX);
  return isQuick ? "quick" : "ordinary";
}

export function needsOwnProcess(file) {
  return isUnder(ALONE, file);
}

/** Whether a file loads isolates into its process, which Node has to be started for. */
export function needsIsolates(file) {
  return isUnder(WITH_ISOLATES, file);
}

/** What a file runs on in this suite: `embedded`, and perhaps `postgres` and `mock`. */
export function storesOf(file, suite) {
  const rank = SUITES.indexOf(suite);
  const onPostgres =
    isUnder(rank >= SUITES.indexOf("all") ? ON_BOTH_STORES : ON_POSTGRES_ORDINARILY, file) && !ON_ONE_STORE.has(file);
  return [
    "embedded",
    ...(onPostgres && suite !== "quick" ? ["postgres"] : []),
    ...(ON_MOCK.has(file) && suite !== "quick" ? ["mock"] : []),
  ];
}
