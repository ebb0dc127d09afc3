import assert from "node:assert/strict";
import { test } from "node:test";
import { findVerbs } from "./find-verbs.ts";
import type { Need } from "./needs.ts";
import type { Role } from "./ports.ts";
import { includesRole, ROLES } from "./roles.ts";

/** The role that each verb requires over the admin API. A new verb needs a line here. */
const ANYWHERE: Readonly<Record<Role, string>> = {
  viewer: `
    attention show; ledger activity; openapi;
    audit export; credential price current;
    audit list; budget list; budget show; credential explain; credential list; credential matrix; credential price list; function activity; function diff; function list; function shadow; function show; function versions; keys verify;
    ledger compare; ledger count; ledger export; ledger history;
    ledger list; ledger show; ledger spend; ledger summary; ledger unknown; ledger verify; object find; operator list; org list; org show;
    object name;
    source credentials; source diff; source health; source list; source show; source versions; state export; state plan; token list; workflow list; workflow plan; workflow plan-rows`,
  operator: `
    credential create; credential delete; credential disable; credential enable; credential rename; credential verify; function reset-shadow; function rollback; function run; function test; ledger reconcile; ledger settle; ledger settle-unknown; org create; org disable;
    org enable; org rename; source run; source test; token create; token revoke; workflow create; workflow disable;
    workflow enable; workflow run; workflow set`,
  // A price determines what a budget counts.
  owner: `
    budget recount; budget remove; budget set; credential price remove; credential price set; keys discard; keys remove-old; keys rotate; ledger prune; operator create;
    operator restore; operator revoke; operator set; state apply; store backup`,
};

/** Verbs that read or write files of the terminal's machine, or work on a data directory other than the service's. */
const TERMINAL = `
  catalog lock; client generate; function new; keys adopt; ledger drain; prove; source new; store copy; store restore`;

/** Inputs that make a verb write files, or test the whole catalog in the service. */
const TERMINAL_INPUTS: Readonly<Record<string, readonly string[]>> = {
  "source test": ["all", "record"],
  "keys rotate": ["adopt_root_key"],
  "store backup": ["include_root_key"],
};

/** Needs that only the terminal of a command provides. */
const OF_TERMINALS: ReadonlySet<Need> = new Set([
  "terminal",
  "projectFolder",
  "lockCatalogs",
  "copyStore",
  "restoreStore",
  "drainLedger",
]);

const listed = (text: string) => text.split(";").map((name) => name.trim());

test("every verb is listed with the role that it takes, and with its place", async () => {
  const verbs = findVerbs();
  const found = await Promise.all(verbs.names.map(async (name) => ({ name, verb: await verbs.load(name) })));
  const namesOf = (chosen: typeof found) => chosen.map(({ name }) => name).sort();
  for (const role of ROLES) {
    const own = found.filter(({ verb }) => verb.role === role && verb.terminalOnly !== true);
    assert.deepEqual(namesOf(own), listed(ANYWHERE[role]).sort(), role);
  }
  assert.deepEqual(namesOf(found.filter(({ verb }) => verb.terminalOnly === true)), listed(TERMINAL).sort());
  const partly = found.filter(({ verb }) => Array.isArray(verb.terminalOnly));
  assert.deepEqual(Object.fromEntries(partly.map(({ name, verb }) => [name, verb.terminalOnly])), TERMINAL_INPUTS);
});

test("a viewer changes nothing, and what needs a terminal says that it works only in one", async () => {
  const verbs = findVerbs();
  for (const name of verbs.names) {
    const verb = await verbs.load(name);
    assert.ok(verb.role !== "viewer" || !verb.changes, `${name} changes something, and a viewer may use it`);
    const own = verb.needs.filter((need) => OF_TERMINALS.has(need));
    assert.ok(own.length === 0 || verb.terminalOnly === true, `${name} needs ${own.join(" and ")}`);
    for (const input of Array.isArray(verb.terminalOnly) ? verb.terminalOnly : [])
      assert.ok(!(verb.input.required ?? []).includes(input), `${name} cannot do without ${input}`);
  }
});

test("what can be done over the admin API has a result with a schema, or answers with a text", async () => {
  const verbs = findVerbs();
  for (const name of verbs.names) {
    const { result, stream, terminalOnly } = await verbs.load(name);
    assert.equal(result === undefined, terminalOnly === true || stream !== undefined, name);
  }
});

test("each role includes the ones before it", () => {
  const table = ROLES.map((held) => ROLES.map((needed) => includesRole(held, needed)));
  assert.deepEqual(table, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
