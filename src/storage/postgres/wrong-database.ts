import { DatabaseError } from "pg";
import { printable } from "../../terms/text/printable.ts";
import { problemOf } from "../problem-of.ts";
import type { DatabaseAddress } from "./connection-options.ts";

/** The problem as a sentence for the operator, and whether waiting can help. */
export interface ConnectionProblem {
  readonly says: string;
  readonly hopeless: boolean;
}

const WORDS_MAX = 200;
/** Classes of SQLSTATE that concern the address, permissions, or the contents of the database. */
const HOPELESS = /^(?:0A|28|3D|3F|42)/;
/** Its class usually means a temporary problem. PgBouncer uses it for every refusal, which only the text identifies. */
const PROTOCOL_VIOLATION = "08P01";
const PASSES =
  /down|timeout|try again|cannot connect|connections|too many clients|starting up|in recovery|terminat|closed/i;
const PARAMETER = /^unsupported startup parameter: (\S+)$/;
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_|HOSTNAME_MISMATCH)/;

/** Decides why a database cannot be used. A missing host may appear later; a wrong password stays wrong. */
export function judge(error: unknown, place: DatabaseAddress): ConnectionProblem {
  const code = problemOf(error);
  if (error instanceof DatabaseError) return { says: wordsOf(error, place), hopeless: isHopeless(error) };
  const { at, user } = place;
  const hopeless = (says: string): ConnectionProblem => ({ says, hopeless: true });
  const away = (says: string): ConnectionProblem => ({ says, hopeless: false });
  if (TLS.test(code)) return hopeless(`The certificate of the PostgreSQL at ${at} is not trusted (${code}).`);
  const text = error instanceof Error ? error.message : "";
  if (/does not support SSL/.test(text)) {
    return hopeless(`The PostgreSQL at ${at} has no TLS, which DATABASE_URL asks for.`);
  }
  if (/establishing an SSL connection/.test(text)) return hopeless(`What listens at ${at} is not a PostgreSQL server.`);
  if (/password must be/.test(text)) {
    return hopeless(`The PostgreSQL at ${at} asks for a password of the user "${user}", and DATABASE_URL has none.`);
  }
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return away(`No PostgreSQL listens at ${at} (${code}).`);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return away(`The host name ${place.host} is not known (${code}).`);
    case "ETIMEDOUT":
      return away(`The PostgreSQL at ${at} does not answer (${code}).`);
    default:
      return away(`The PostgreSQL at ${at} cannot be reached (${code}).`);
  }
}

function isHopeless({ code = "", message }: DatabaseError): boolean {
  return code === PROTOCOL_VIOLATION ? !PASSES.test(message) : HOPELESS.test(code);
}

/**
 * The server's own message contains only names that the operator chose. Details may contain values, and are left out.
 */
function wordsOf(error: DatabaseError, { at, database, user }: DatabaseAddress): string {
  const code = error.code ?? "no code";
  const said = printable(error.message).slice(0, WORDS_MAX);
  const parameter = PARAMETER.exec(said)?.[1];
  if (code === PROTOCOL_VIOLATION && parameter !== undefined)
    return `The pooler at ${at} refuses the parameter "${parameter}" (${code}): take it out of DATABASE_URL, or add it to the pooler's ignore_startup_parameters.`;
  switch (code) {
    case "3D000":
      return `The PostgreSQL at ${at} has no database "${database}".`;
    case "28P01":
      return `The PostgreSQL at ${at} does not take the password of the user "${user}".`;
    case "28000":
      return `The PostgreSQL at ${at} does not let the user "${user}" in: ${said}.`;
    case "42501":
      return `The user "${user}" lacks a right in the database "${database}" at ${at}: ${said}.`;
    default:
      return `The database "${database}" at ${at} cannot be used: ${said} (${code}).`;
  }
}
