import type { VersionKind } from "../../../admin/ports.ts";
import type { TextDifferences } from "../../../admin/versions/compare-texts.ts";

/** A finding that a check may report. Codes are used by `--ignore` and by programs, and never change their meaning. */
export interface CheckRow {
  /** The condition, as a sentence for the reference. */
  readonly says: string;
  /** How to correct it. */
  readonly hint: string;
  /** The option that enables the check; without one it is always made. */
  readonly asked?: "production" | "connect";
  /** A start fails for the same reason and with the same message. */
  readonly stopsStart?: true;
}

export const CHECKS = {
  "settings.invalid": {
    says: "A setting or the config file cannot be used. If it cannot be read at all, nothing else is checked.",
    hint: "`datarun start --help` lists every setting.",
    stopsStart: true,
  },
  "settings.renamed": {
    says: "A setting is given by a former name. A start logs `setting_renamed` and uses it.",
    hint: "Give it by its new name; the former one may be removed in a later version.",
  },
  "otel.ignored": {
    says: "A variable of OpenTelemetry (`OTEL_…`) is invalid. A start logs `otel_variable_ignored` and ignores it.",
    hint: "docs/guides/opentelemetry.md lists the variables that are read.",
  },
  "host.not_here": {
    says: "`host` or `admin_host` is not an address of this machine, or is a name that cannot be looked up.",
    hint: "127.0.0.1 is this machine alone, 0.0.0.0 every address that it has.",
    stopsStart: true,
  },
  "login.no_roles": {
    says: "An identity provider is set (`oidc.issuer`), and no group has a role: every login with it fails.",
    hint: "Name groups in `oidc.viewers`, `oidc.operators` or `oidc.owners`.",
  },
  "catalog.names_nothing": {
    says: "An entry of `catalog` matches no source, neither as an id nor as a pattern.",
    hint: "`datarun source list` shows every id.",
  },
  "catalogs.refused": {
    says: "A package of the setting `catalogs` is not installed, holds more than YAML files, replaces a source, or is not as `datarun.lock` states.",
    hint: "Install what is missing, read what differs, and accept it with `datarun catalog lock`.",
    stopsStart: true,
  },
  "origins.names_nothing": {
    says: "No source that is on has the origin that an entry of `outbound.private_origins` or `outbound.trace_origins` names.",
    hint: "Write it exactly as the source declares it, with its port if it has one.",
  },
  "project.file_broken": {
    says: "A source or a function cannot be loaded or compiled, or a file in the folder `catalog_data` cannot be used.",
    hint: "Correct the file. `datarun dev` says the same each time it is saved.",
    stopsStart: true,
  },
  "project.failed_afterwards": {
    says: "Work that a loaded file started threw an error that nothing handled.",
    hint: "Await that work, or start it inside `run`.",
    stopsStart: true,
  },
  "project.no_cases": {
    says: "A source or a function of the project has no cases: nothing tests it, and a source cannot be simulated.",
    hint: "`datarun source test --live --record` writes those of a source from real answers. A function has its `cases` in its file.",
  },
  "project.cases_broken": {
    says: "The cases of a function cannot be read.",
    hint: "`datarun function test` runs the cases.",
  },
  "source.region_refused": {
    says: "A source of the project may not be used in the region of this deployment: each of its calls is refused.",
    hint: "Set `region` to that of this deployment, or take the source out of this project.",
  },
  "credential.names_nothing": {
    says: "A stored credential is for a source that does not exist here, or that is off.",
    hint: "Turn the source on with `catalog`, or delete the credential with `datarun credential delete`.",
  },
  "credential.region_refused": {
    says: "All credentials that an organization has for a source are for other regions.",
    hint: "Store one for this region with `datarun credential create --region`.",
  },
  "store.refused": {
    says: "The store cannot be opened, or was made by a newer version or by other software.",
    hint: "See the reason. Nothing was changed.",
    stopsStart: true,
  },
  "store.unreachable": {
    says: "The shared database does not answer. A service starts without it, and refuses runs until it does.",
    hint: "Check the address and the network between here and the database.",
  },
  "store.not_migrated": {
    says: "The store has the schema of an older version. Its content was not checked.",
    hint: "Back it up. The next start migrates it, and older versions cannot use it afterwards.",
  },
  "keys.refused": {
    says: "The root key cannot be read, or is not the one that the store depends on.",
    hint: "The guide on keys explains where root keys are, and what to do when one is lost.",
    stopsStart: true,
  },
  "keys.unreadable": {
    says: "Some stored data keys cannot be opened: the credentials that depend on them fail.",
    hint: "`datarun keys verify` names them.",
  },
  "data_dir.unusable": {
    says: "The data directory cannot be created, or cannot be written to.",
    hint: "Name another with --data-dir, or give the user of the service access to it.",
    stopsStart: true,
  },
  "data_dir.not_local": {
    says: "The data directory is on a network file system, whose locks and syncs cannot be relied on.",
    hint: "Use a local disk.",
  },
  "data_dir.in_memory": {
    says: "The data directory is in memory: everything in it is gone when the machine stops.",
    hint: "Use a disk.",
  },
  "data_dir.slow": {
    says: "The disk takes more than 50 ms to confirm a write. Every answer waits for that.",
    hint: "Use a local disk that syncs quickly.",
  },
  "journal.no_room": {
    says: "The disk has less than 64 MiB left for the journal. When it is used up, no run is accepted.",
    hint: "Free space, or use a larger disk.",
  },
  "production.demo": {
    says: "The demo is on: it turns on the whole catalog and creates an organization.",
    hint: "Leave out `demo`, and name the sources that are needed in `catalog`.",
    asked: "production",
  },
  "production.admin_port": {
    says: "The admin port, which serves metrics and probes without a token, listens on all addresses or on a public one.",
    hint: "Set `admin_host` to 127.0.0.1 or an address of a private network.",
    asked: "production",
  },
  "production.no_operator": {
    says: "There is neither an operator nor an identity provider: the deployment can only be operated from a terminal on the machine.",
    hint: "Create an owner with `datarun operator create NAME --role owner`, or set `oidc.issuer`.",
    asked: "production",
  },
  "production.endless_tokens": {
    says: "An organization has access tokens that never expire.",
    hint: "Issue new ones with `datarun token create --expires-in`, and revoke these.",
    asked: "production",
  },
  "production.root_key_beside_data": {
    says: "The root key is in the data directory: a copy of the directory can open every credential.",
    hint: "Give it with DATARUN_ROOT_KEY_FILE from another place; the guide on keys says how to change over.",
    asked: "production",
  },
  "production.never_run_live": {
    says: "A source that is on has never called its vendor, neither in a run nor in a test.",
    hint: "Try it with `datarun prove`.",
    asked: "production",
  },
  "production.old_unknown_charges": {
    says: "Requests that were sent more than 30 days ago still have an unknown charge.",
    hint: "`datarun ledger unknown` lists them, `datarun ledger reconcile` settles them.",
    asked: "production",
  },
  "production.private_origins": {
    says: "Sources may call addresses of the private network, because `outbound.private_origins` is set.",
    hint: "If that is intended: --ignore production.private_origins",
    asked: "production",
  },
  "production.plain_http": {
    says: "A source that is on uses plain `http` to another machine: anyone on the path can read and change requests and replies.",
    hint: "Declare the origin with https. If the path is only in a network that you trust: --ignore production.plain_http",
    asked: "production",
  },
  "production.lenient_replies": {
    says: "A source that is on has `reply.lenient`: replies of its vendor that can be read in two ways are accepted.",
    hint: "Remove `lenient` if the vendor sends valid HTTP now. If it does not: --ignore production.lenient_replies",
    asked: "production",
  },
  "production.old_data": {
    says: "A source that is on answers from data that is older than its `max_age_days`.",
    hint: "Install a newer version of the service, or give a newer file with `catalog_data`; the guide on operation says which files. If it does not matter to you: --ignore production.old_data",
    asked: "production",
  },
  "ledger.unreadable": {
    says: "The ledger cannot be read, or was written by another version.",
    hint: "`datarun ledger verify` says what is damaged.",
    asked: "production",
  },
  "connect.identity_provider": {
    says: "The identity provider does not answer, or is not the one that `oidc.issuer` names.",
    hint: "Open `<oidc.issuer>/.well-known/openid-configuration`: its `issuer` has to be exactly the same. `outbound.ca_file` names further authorities.",
    asked: "connect",
  },
  "connect.failed": {
    says: "No connection could be made to an origin of a source that is on: its name, address, TLS or the proxy.",
    hint: "Check the name, the firewall, `outbound.proxy`, `outbound.ca_file` and `outbound.private_origins`.",
    asked: "connect",
  },
} as const satisfies Readonly<Record<string, CheckRow>>;

export type CheckCode = keyof typeof CHECKS;

export const CHECK_CODES = Object.keys(CHECKS) as readonly CheckCode[];

export interface CheckFinding {
  readonly code: CheckCode;
  readonly file: string | null;
  readonly line: number | null;
  /** A sentence without secrets. */
  readonly says: string;
  readonly hint: string;
}

/** Facts that are in order, so that a person sees that the right deployment was checked. */
export type CheckFacts = Record<string, string | number>;

/** How a function or source of this deployment differs from the version that was last registered. */
export interface VersionChange extends TextDifferences {
  readonly kind: VersionKind;
  readonly id: string;
  /** `removed`: it was registered from a project at some time, and is not in this one. */
  readonly change: "changed" | "new" | "removed";
  /** The version last registered. */
  readonly before: VersionRef | null;
  /** The version of the file. */
  readonly after: VersionRef | null;
}

export interface VersionRef {
  /** `null` if the version is not registered: a start does that. */
  readonly number: number | null;
  readonly digest: string;
}

/** Collects what the checks find. */
export class CheckReport {
  readonly findings: CheckFinding[] = [];
  readonly facts: CheckFacts = {};
  /** Differences from the versions in the store; left out if they are not compared. */
  changes?: readonly VersionChange[];

  add(code: CheckCode, says: string, place: { readonly file?: string; readonly line?: number | null } = {}): void {
    const { file = null, line = null } = place;
    this.findings.push({ code, file, line, says, hint: CHECKS[code].hint });
  }
}

/** The line number at the start of a broken file's reason (`3:17: …`), if it has one. */
export function lineOf(reason: string): number | null {
  const [, line] = /^(\d+):\d+: /.exec(reason) ?? [];
  return line === undefined ? null : Number(line);
}
