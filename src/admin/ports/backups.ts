/** Backups of a data directory, as operators order and restore them. */

export interface BackupOrder {
  /** The folder that gets a folder with the backup. */
  readonly dir: string;
  readonly keep: number | undefined;
  readonly includeRootKey: boolean;
  /** When it begins: every run that was answered before is in it. */
  readonly wallAt: number;
}

interface BackupContents {
  /** `postgresql`: the store is there, and only the journal of the data directory is in the backup. */
  readonly store: "embedded" | "postgresql";
  readonly bytes: number;
}

export interface BackedUp extends BackupContents {
  readonly folder: string;
  /** The names of older backups that were removed. */
  readonly removed: readonly string[];
}

export interface RestoredStore extends BackupContents {
  readonly dataDir: string;
  /** When the backup was begun, as in its manifest. */
  readonly beganAt: string;
  /** `present`: a key file was there already, and stayed. */
  readonly rootKey: "restored" | "present" | "missing";
}
