import { resolve } from "node:path";
import type { DeploymentSelection } from "../../../admin/cli/run-cli.ts";
import { type KeyedEngine, openKeyedEngine } from "../../open-keyed-engine.ts";
import { unwrapRootKeys } from "../../unwrap-root-keys.ts";
import type { OpenedStore } from "../../open-store.ts";
import { projectOf, readSettingsOf } from "../../../project/config-file.ts";
import { ConfigError } from "../../../settings/read-settings.ts";
import type { Settings } from "../../../settings/settings.ts";
import { LoadError } from "../../../terms/load-error.ts";
import { type Clock, systemClock } from "../../../terms/time/clock.ts";
import { OperatorError } from "../../../terms/operator-error.ts";

/** The deployment that a command works on, and what it opens there. */
export interface DeploymentRef {
  /** With absolute paths of the project folder and the data directory. */
  readonly settings: Settings;
  readonly clock: Clock;
  /** Code that was loaded in another reading is loaded again; undefined for a command that reads once. */
  readonly reading: string | undefined;
  note(sentence: string): void;
  /** The store's engine, opened with the options of the first call. @throws OperatorError */
  engine(adoptRootKey?: boolean): Promise<KeyedEngine>;
  /** The store with all its ports, over that engine. @throws OperatorError */
  store(adoptRootKey?: boolean): Promise<OpenedStore>;
  /**
   * Returns a function that opens a resource at its first call and returns the same one afterwards. The resource is
   * closed when the command ends.
   */
  once<Opened>(open: () => Promise<Opened>, close: (opened: Opened) => unknown): () => Promise<Opened>;
}

/** Finds the deployment as a service does, so that both use the same store. @throws OperatorError */
export async function findDeployment(
  { project: named, dataDir: given, makesStore, reading: count = 0 }: DeploymentSelection,
  note: (sentence: string) => void,
  closing: AsyncDisposableStack,
): Promise<DeploymentRef> {
  const environment = process.env;
  const project = projectOf({ project: named }, environment, process.cwd());
  const options = given === undefined ? {} : { "data-dir": given };
  const reading = count === 0 ? undefined : String(count);
  const read = await readSettingsOf(project, options, environment, reading).catch(invalid);
  const settings = { ...read, project, dataDir: resolve(read.dataDir) };
  const { dataDir, databaseUrl } = settings;
  const once: DeploymentRef["once"] = (open, close) => {
    let opening: ReturnType<typeof open> | undefined;
    return () => {
      if (opening !== undefined) return opening;
      opening = open();
      // Waits for a resource that is still being opened. If opening failed, the caller has the error and there is
      // nothing to close.
      closing.defer(() =>
        opening!.then(
          async (opened) => void (await close(opened)),
          () => {},
        ),
      );
      return opening;
    };
  };
  let adopting = false;
  const open = once(
    async () =>
      openKeyedEngine({
        // A verb that only reads must not create a store in a mistyped folder or an empty database.
        opening: makesStore ? "make" : "look",
        dataDir,
        databaseUrl,
        rootKey: await unwrapRootKeys(settings, systemClock).catch(unavailable),
        clock: systemClock,
        adoptRootKey: adopting,
      }).catch(unavailable),
    ({ engine }) => engine.close(),
  );
  const engineOf: DeploymentRef["engine"] = (adoptRootKey = false) => {
    adopting ||= adoptRootKey;
    return open();
  };
  let opened: Promise<OpenedStore> | undefined;
  const addPorts = async (keyed: KeyedEngine): Promise<OpenedStore> => {
    const { storeOver } = await import("../../open-store.ts");
    return storeOver(keyed, systemClock, settings);
  };
  const store: DeploymentRef["store"] = (adoptRootKey) => (opened ??= engineOf(adoptRootKey).then(addPorts));
  return { settings, clock: systemClock, reading, note, engine: engineOf, store, once };
}

function invalid(error: unknown): never {
  if (error instanceof ConfigError || error instanceof LoadError)
    throw new OperatorError("invalid", error.message, { cause: error });
  throw error;
}

/** Turns any error into an `OperatorError` with the same message. */
export function unavailable(error: unknown): never {
  if (error instanceof OperatorError) throw error;
  throw new OperatorError("unavailable", error instanceof Error ? error.message : String(error), { cause: error });
}
