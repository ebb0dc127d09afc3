/** Where this folder reports events to operators: one object per event. A pino logger fits. */
export interface FunctionsLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}

export interface LogFields {
  readonly event: string;
  readonly [name: string]: unknown;
}
