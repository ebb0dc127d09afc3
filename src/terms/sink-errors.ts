/** The database is there and refuses rows of the batch for what they say: waiting does not help. */
export class LedgerRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "LedgerRefused";
  }
}

/** The database is another one, or an older copy: of a journal it has the runs up to a number and no more. */
export class LedgerBehind extends Error {
  readonly has: number;
  constructor(has: number) {
    super("the shared database has less of this journal than went out to it");
    this.name = "LedgerBehind";
    this.has = has;
  }
}
