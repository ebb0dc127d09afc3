/** A store of secrets did not give a value. The message contains nothing of its replies. */
export class SecretUnavailable extends Error {
  override readonly name = "SecretUnavailable";
  /** Whether the store has answered that it does not give this value, so that an earlier one must not be used either. */
  readonly isFinal: boolean;
  constructor(message: string, { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isFinal = isFinal;
  }
}
