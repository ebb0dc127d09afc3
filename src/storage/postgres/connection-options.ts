import { Client, type ClientConfig, types } from "pg";
import { printable } from "../../terms/text/printable.ts";
import { StoreRefused } from "../engine.ts";

const CONNECT_MS_MAX = 2_000;

/** The address of a database, for messages: no password. */
export interface DatabaseAddress {
  /** `host:port`, or the directory of the socket. */
  readonly at: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** @throws StoreRefused, as `connectionOptions` does */
export function databaseAddressOf(databaseUrl: string): DatabaseAddress {
  const { host, port, database = "", user = "" } = readAddress(databaseUrl);
  return { at: host.startsWith("/") ? host : `${host}:${port}`, host, port, database, user };
}

/**
 * Options for every connection: no query waits for a server that has stopped answering, and bigint is read as a number,
 * because our columns hold only milliseconds and counts. A pooler accepts all of them.
 * @param reread returns the address as it is when a connection is opened: its password may have changed
 * @param statementMs time limit of an answer; `storable-pool.ts` sets the server's own limits
 * @throws StoreRefused when the address is not valid; the message does not repeat it, as it may contain a password
 */
export function connectionOptions(
  databaseUrl: string,
  statementMs: number,
  reread?: () => string | undefined,
): ClientConfig {
  readAddress(databaseUrl);
  return {
    ...(reread === undefined ? { connectionString: databaseUrl } : addressWithPassword(databaseUrl, reread)),
    application_name: "datarun",
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: statementMs,
    keepAlive: true,
    pipeline: true,
    types: {
      getTypeParser: (oid, format) =>
        (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as never,
    },
  };
}

/** A password in the connection string would win over a function. */
function addressWithPassword(databaseUrl: string, reread: () => string | undefined): ClientConfig {
  const url = URL.parse(databaseUrl);
  if (url === null || url.password === "") return { connectionString: databaseUrl };
  const first = url.password;
  url.password = "";
  const password = () => decodeURIComponent(URL.parse(reread() ?? "")?.password || first);
  return { connectionString: url.href, password };
}

function readAddress(databaseUrl: string): Client {
  const refuse = (cause?: unknown) =>
    new StoreRefused(
      "DATABASE_URL is not the address of a PostgreSQL database, such as postgres://user@host:5432/name.",
      { cause },
    );
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) throw refuse();
  try {
    // Only the constructor is used, to parse the address; it does not connect.
    return new Client({ connectionString: databaseUrl });
  } catch (error) {
    const { code, path, syscall } = error as NodeJS.ErrnoException;
    // The address may name files with certificates and keys, which are read now.
    if (syscall === undefined || path === undefined) throw refuse(error);
    throw new StoreRefused(`The file ${printable(path)}, which DATABASE_URL names, cannot be read (${code}).`, {
      cause: error,
    });
  }
}
