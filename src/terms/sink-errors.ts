/** The database answers, but refuses rows of the batch because of their content: waiting does not help. */
export class LedgerRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "LedgerRefused";
  }
}

/** The database is a different one, or an older copy: it has the runs of a journal only up to a certain number. */
export class LedgerBehind extends Error {
  readonly has: number;
  constructor(has: number) {
    super("the shared database has less of this journal than was sent to it");
    this.name = "LedgerBehind";
    this.has = has;
  }
}
