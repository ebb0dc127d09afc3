/**
 * Refuses a command with a message for the operator. Any other error is a defect of the service and is shown as one.
 */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;
  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OperatorError";
    this.code = code;
  }
}

/**
 * `usage`: the command itself is wrong; `invalid`: its values are; `unavailable`: the store or another service does not
 * answer now.
 */
export type OperatorErrorCode = "usage" | "invalid" | "not_found" | "refused" | "unavailable";
