import { PREFIX } from "../../../terms/ids.ts";
import { COMMAND_VARIABLES } from "../../../terms/variables.ts";
import type { CommandIo } from "../command-io.ts";
import { usage } from "../parse-command.ts";

/** The admin port of a service, and the operator's token. */
export interface Remote {
  readonly url: URL;
  readonly token: string;
}

const { remote: ADDRESS_VARIABLE, operatorToken: TOKEN_VARIABLE } = COMMAND_VARIABLES;
/** Other texts may be invalid in a header. */
const TOKEN = new RegExp(`^${PREFIX.operatorToken}[0-9A-Za-z]{1,200}$`);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The service named by the option, else by the environment; `null` if neither is set. @throws OperatorError */
export function findRemote(option: string | undefined, env: CommandIo["env"]): Remote | null {
  const address = option ?? env[ADDRESS_VARIABLE] ?? "";
  const from = option === undefined ? ADDRESS_VARIABLE : "--remote";
  // An empty variable counts as unset. An empty option is a mistake, such as a misspelled variable in a script.
  if (address === "" && option === undefined) return null;
  const url = URL.parse(address);
  const isPlain = url?.protocol === "http:";
  if (url === null || (!isPlain && url.protocol !== "https:"))
    throw usage(`${from} must be the address of an admin port, such as https://admin.acme.example.`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw usage(`${from} must be an address without a user, a query and a fragment.`);
  if (isPlain && !LOOPBACK.test(url.hostname)) {
    throw usage(
      `${from}: over http a token can be read on the way, so it is sent only over https, or to this machine. Put TLS before the admin port, or tunnel it here: ssh -L 8081:127.0.0.1:8081 HOST`,
    );
  }
  const token = env[TOKEN_VARIABLE]?.trim() ?? "";
  if (token === "") throw usage(`Set ${TOKEN_VARIABLE} to your token, which "datarun operator create" has shown.`);
  if (!TOKEN.test(token))
    throw usage(
      `${TOKEN_VARIABLE} is not an operator's token, which is ${PREFIX.operatorToken} and letters and digits.`,
    );
  return { url, token };
}
