import type { GivenToVerbs, Need, VerbNeeds } from "../../admin/needs.ts";
import { osActor } from "../../admin/cli/os-actor.ts";
import type { OpenedForVerb, DeploymentSelection } from "../../admin/cli/run-cli.ts";
import { findDeployment, type DeploymentRef } from "./terminal/deployment-ref.ts";

/** Opens some of the needs of verbs. The file of an opener is loaded only for a verb that names one of them. */
type Opener = (place: DeploymentRef) => Promise<Partial<VerbNeeds>>;

const ofStore: Opener = async (place) => (await import("./terminal/store-needs.ts")).storeNeeds(place);
const ofBackups: Opener = async (place) => (await import("./terminal/backup-needs.ts")).backupNeeds(place);
const ofLedger: Opener = async (place) => (await import("./terminal/ledger-needs.ts")).ledgerNeeds(place);
const ofFiles: Opener = async (place) => (await import("./terminal/file-needs.ts")).fileNeeds(place);
const ofService: Opener = async (place) => (await import("./terminal/run-needs.ts")).serviceNeeds(place);

/** The opener of each need. The command line itself provides the terminal. */
const OPENERS: Readonly<Record<Exclude<Need, "terminal">, Opener>> = {
  store: ofStore,
  sealer: ofStore,
  keys: ofStore,
  finder: ofStore,
  copyStore: ofStore,
  backUpStore: ofBackups,
  restoreStore: ofBackups,
  region: ofStore,
  ledger: ofLedger,
  ledgersHere: ofLedger,
  drainLedger: ofLedger,
  replyBytesMax: ofFiles,
  sources: ofFiles,
  functions: ofFiles,
  authoring: ofFiles,
  projectFolder: ofFiles,
  service: ofService,
  serviceState: ofService,
};

/** Opens a verb's needs: each when the verb first requests it. All are closed when the verb has ended. */
export async function openVerbs(
  place: DeploymentSelection,
  needs: readonly Need[],
  note: (sentence: string) => void,
): Promise<OpenedForVerb> {
  const closing = new AsyncDisposableStack();
  const found = await findDeployment(place, note, closing);
  const openers = new Set(needs.flatMap((need) => (need === "terminal" ? [] : [OPENERS[need]])));
  const opened = await Promise.all([...openers].map((open) => open(found)));
  const given: GivenToVerbs = Object.assign({ clock: found.clock, actor: osActor(), note }, ...opened);
  return { given, close: () => closing.disposeAsync() };
}
