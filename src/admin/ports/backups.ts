/** Backups of a data directory, as operators order and restore them. */

export interface BackupOrder {
  /** The folder in which the backup's folder is created. */
  readonly dir: string;
  readonly keep: number | undefined;
  readonly includeRootKey: boolean;
  /** The start of the backup, which includes every run answered before. */
  readonly wallAt: number;
}

interface BackupContents {
  /** `postgresql`: the store is in the database, and the backup has only the data directory's journal. */
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
  /** The start of the backup, as in its manifest. */
  readonly beganAt: string;
  /** `present`: a key file existed already and was not replaced. */
  readonly rootKey: "restored" | "present" | "missing";
}
