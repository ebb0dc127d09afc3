/** Where the folder reports what operators should know: one object an event. A pino logger is one. */
export interface FunctionsLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}

export interface LogFields {
  readonly event: string;
  readonly [name: string]: unknown;
}
