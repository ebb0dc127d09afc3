/** Where the folder reports what operators should know; a pino logger is one. */
export interface FunctionsLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
