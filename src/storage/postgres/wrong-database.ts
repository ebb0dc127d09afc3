import { DatabaseError } from "pg";
import { printable } from "../../terms/text/printable.ts";
import { problemOf } from "../problem-of.ts";
import type { DatabaseAddress } from "./connection-options.ts";

/** The problem as a sentence for the operator, and whether waiting can help. */
export interface ConnectionProblem {
  readonly message: string;
  readonly isPermanent: boolean;
}

const WORDS_MAX = 200;
/** Classes of SQLSTATE that concern the address, permissions, or the contents of the database. */
const PERMANENT = /^(?:0A|28|3D|3F|42)/;
/** Its class usually means a temporary problem. PgBouncer uses it for every refusal, which only the text identifies. */
const PROTOCOL_VIOLATION = "08P01";
const TEMPORARY =
  /down|timeout|try again|cannot connect|connections|too many clients|starting up|in recovery|terminat|closed/i;
const PARAMETER = /^unsupported startup parameter: (\S+)$/;
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_|HOSTNAME_MISMATCH)/;

/** Decides why a database cannot be used. A missing host may appear later; a wrong password stays wrong. */
export function judge(error: unknown, address: DatabaseAddress): ConnectionProblem {
  const code = problemOf(error);
  if (error instanceof DatabaseError) return { message: wordsOf(error, address), isPermanent: isPermanentError(error) };
  const { at, user } = address;
  const permanent = (message: string): ConnectionProblem => ({ message, isPermanent: true });
  const temporary = (message: string): ConnectionProblem => ({ message, isPermanent: false });
  if (TLS.test(code)) return permanent(`The certificate of the PostgreSQL at ${at} is not trusted (${code}).`);
  const text = error instanceof Error ? error.message : "";
  if (/does not support SSL/.test(text)) {
    return permanent(`The PostgreSQL at ${at} has no TLS, which DATABASE_URL asks for.`);
  }
  if (/establishing an SSL connection/.test(text))
    return permanent(`What listens at ${at} is not a PostgreSQL server.`);
  if (/password must be/.test(text)) {
    return permanent(`The PostgreSQL at ${at} asks for a password of the user "${user}", and DATABASE_URL has none.`);
  }
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return temporary(`No PostgreSQL listens at ${at} (${code}).`);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return temporary(`The host name ${address.host} is not known (${code}).`);
    case "ETIMEDOUT":
      return temporary(`The PostgreSQL at ${at} does not answer (${code}).`);
    default:
      return temporary(`The PostgreSQL at ${at} cannot be reached (${code}).`);
  }
}

function isPermanentError({ code = "", message }: DatabaseError): boolean {
  return code === PROTOCOL_VIOLATION ? !TEMPORARY.test(message) : PERMANENT.test(code);
}

/**
 * The server's own message contains only names that the operator chose. Details may contain values, and are left out.
 */
function wordsOf(error: DatabaseError, { at, database, user }: DatabaseAddress): string {
  const code = error.code ?? "no code";
  const serverMessage = printable(error.message).slice(0, WORDS_MAX);
  const parameter = PARAMETER.exec(serverMessage)?.[1];
  if (code === PROTOCOL_VIOLATION && parameter !== undefined)
    return `The pooler at ${at} refuses the parameter "${parameter}" (${code}): take it out of DATABASE_URL, or add it to the pooler's ignore_startup_parameters.`;
  switch (code) {
    case "3D000":
      return `The PostgreSQL at ${at} has no database "${database}".`;
    case "28P01":
      return `The PostgreSQL at ${at} does not take the password of the user "${user}".`;
    case "28000":
      return `The PostgreSQL at ${at} does not let the user "${user}" in: ${serverMessage}.`;
    case "42501":
      return `The user "${user}" lacks a right in the database "${database}" at ${at}: ${serverMessage}.`;
    default:
      return `The database "${database}" at ${at} cannot be used: ${serverMessage} (${code}).`;
  }
}
