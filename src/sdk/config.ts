/** What may stand in `datarun.config.ts`. Precedence: option, environment, this file, default. `docs/reference/configuration.md` explains each. */
export interface DatarunConfig {
  readonly host?: string;
  readonly port?: number;
  readonly admin_host?: string;
  readonly admin_port?: number;
  readonly data_dir?: string;
  /** PostgreSQL; better in the environment, as `DATABASE_URL`, since it may hold a password. */
  readonly database_url?: string;
  readonly region?: string;
  readonly demo?: boolean;
  /** Ids, or patterns such as `gleif__*`, of the catalog sources that leave the machine and shall be on. */
  readonly catalog?: readonly string[];
  readonly overload_status?: 500 | 503;
  readonly log_level?: "debug" | "info" | "warn" | "error";
  readonly limits?: Readonly<Record<string, number>>;
  readonly outbound?: {
    /** `http://host:port` of an egress proxy; the environment's proxy variables are never read. */
    readonly proxy?: string;
    /** A PEM file with certificate authorities to trust besides the system's. */
    readonly ca_file?: string;
    /**
     * Exact origins whose host names may lead into a private network, such as `https://scores.corp.example`. Address
     * literals and `localhost`, where a source declares them exactly, need no entry.
     */
    readonly private_origins?: readonly string[];
  };
}

/** Gives the config file its types; it returns what it was given. */
export function defineConfig(config: DatarunConfig): DatarunConfig {
  return config;
}
