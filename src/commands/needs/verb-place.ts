import { resolve } from "node:path";
import type { Place } from "../../cli/run-cli.ts";
import { openKeyedStore, type OpenedStore } from "../../composition/open-store.ts";
import { projectFolder, readSettingsOf } from "../../project/config-file.ts";
import { ConfigError } from "../../settings/read-settings.ts";
import { LoadError } from "../../terms/load-error.ts";
import { type Clock, systemClock } from "../../terms/clock.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** The deployment that a verb works on, and what its needs share. */
export interface VerbPlace {
  readonly project: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  note(sentence: string): void;
  /** The store, opened by whoever asks first and in that one's way. @throws OperatorError */
  store(adoptRootKey?: boolean): Promise<OpenedStore>;
  /** Makes an opening that happens once, when it is first asked for, and is undone when the command ends. */
  once<Opened>(open: () => Promise<Opened>, close: (opened: Opened) => unknown): () => Promise<Opened>;
}

/** Reads where that is, by the very function by which a service reads it: both must mean the same store. @throws OperatorError */
export async function findVerbPlace(
  { project: named, dataDir: given, makesStore }: Place,
  note: (sentence: string) => void,
  closing: AsyncDisposableStack,
): Promise<VerbPlace> {
  const environment = process.env;
  const project = projectFolder(named ?? (environment["DATARUN_PROJECT"] || undefined), process.cwd());
  const options = given === undefined ? {} : { "data-dir": given };
  const settings = await readSettingsOf(project, options, environment).catch(invalid);
  const dataDir = resolve(settings.dataDir);
  const { databaseUrl } = settings;
  const once: VerbPlace["once"] = (open, close) => {
    let opening: ReturnType<typeof open> | undefined;
    return () => {
      if (opening !== undefined) return opening;
      opening = open();
      // Also while it is still being opened. One that cannot be opened has told whoever asked, and leaves nothing to close.
      closing.defer(() => opening!.then(async (opened) => void (await close(opened)), () => {})); // prettier-ignore
      return opening;
    };
  };
  let adopting = false;
  const open = once(
    () =>
      openKeyedStore({
        // A mistyped folder, or an empty database, must not become a store by being looked at.
        opening: makesStore ? "make" : "look",
        dataDir,
        databaseUrl,
        rootKey: environment["DATARUN_ROOT_KEY"],
        clock: systemClock,
        adoptRootKey: adopting,
      }).catch(unavailable),
    ({ store }) => store.close(),
  );
  const store = (adoptRootKey = false): Promise<OpenedStore> => {
    adopting ||= adoptRootKey;
    return open();
  };
  return { project, dataDir, databaseUrl, environment, clock: systemClock, note, store, once };
}

function invalid(error: unknown): never {
  if (error instanceof ConfigError || error instanceof LoadError)
    throw new OperatorError("invalid", error.message, { cause: error });
  throw error;
}

/** What cannot be opened is told in its own words. */
export function unavailable(error: unknown): never {
  if (error instanceof OperatorError) throw error;
  throw new OperatorError("unavailable", error instanceof Error ? error.message : String(error), { cause: error });
}
