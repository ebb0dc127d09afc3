import { realpathSync } from "node:fs";
import { COMMAND_VARIABLES, VARIABLES } from "../../terms/variables.ts";
import type { CommandIo } from "../command-io.ts";

/** Which service or deployment a command line names. */
export interface NamedPlace {
  readonly remote: string | undefined;
  readonly dataDir: string | undefined;
  readonly project: string | undefined;
}

/**
 * Where a command line works, as one line of text that the scripts for shells make in the same way: from its options, the
 * environment and the current folder alone. It holds no secret. `null` if a shell could not make it.
 */
export function typedWhere(
  { remote, dataDir, project }: NamedPlace,
  env: CommandIo["env"],
  current: string,
): string | null {
  const address = remote ?? env[COMMAND_VARIABLES.remote] ?? "";
  if (address !== "") return address.replace(/\/$/, "");
  const chosen = (dataDir ?? env[VARIABLES.dataDir]) || (project ?? env[VARIABLES.project]) || ".";
  const folder = chosen.replace(/^\.(?:\/|$)/, "").replace(/\/$/, "");
  const whole = folder.startsWith("/") ? folder : [shellFolder(env, current), folder].filter(Boolean).join("/");
  const database = databaseOf(env);
  return database === null || /\p{Cc}/u.test(whole) ? null : `${whole}${database}`;
}

/** As the shell names it, which may be by way of a symbolic link. */
function shellFolder({ PWD = "" }: CommandIo["env"], current: string): string {
  try {
    return realpathSync(PWD) === current ? PWD.replace(/\/$/, "") : current;
  } catch {
    return current;
  }
}

/** Host and name of the database that the environment gives, never its user or password. */
function databaseOf({
  [VARIABLES.databaseUrl]: address = "",
  [VARIABLES.databaseUrlFile]: file = "",
}: CommandIo["env"]): string | null {
  if (file !== "") return ` ${file}`;
  if (address === "") return "";
  const url = URL.parse(address);
  return url === null ? null : ` ${url.host}${url.pathname}`;
}
