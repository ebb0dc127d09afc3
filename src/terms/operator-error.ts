/** Says no to an operator in words meant for an operator. Any other error is a fault of ours and is shown as one. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;
  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OperatorError";
    this.code = code;
  }
}

/** `usage`: the command itself; `invalid`: its values; `unavailable`: the store or something else that is away now. */
export type OperatorErrorCode = "usage" | "invalid" | "not_found" | "refused" | "unavailable";
