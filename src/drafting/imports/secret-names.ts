import { snakeCase } from "../draft-request.ts";

const SECRET_WORDS = new Set(
  "password passwd passphrase passcode pwd pass pw secret token apikey appkey key auth authorization authentication credential credentials session sessionid sid sig signature jwt bearer otp pin cookie csrf xsrf hmac assertion".split(
    " ",
  ),
);
const SECRET_PAIRS = new Set(
  "client_id app_id application_id account_sid user_name username api_user subscriber_id license_id".split(" "),
);

/** Whether a name suggests a secret. In doubt it is treated as one. */
export function isSecretName(name: string): boolean {
  const snake = snakeCase(name);
  return SECRET_PAIRS.has(snake) || snake.split("_").some((word) => SECRET_WORDS.has(word));
}

const PROOFS =
  /^(?:x_)?(?:(?:api|app|access|auth|subscription|license|private|client)_?(?:key|token|secret|id|password)|key|token|secret|password|authorization)$/;

/**
 * Whether a name in an OpenAPI document belongs to a credential. The rule is narrower than `isSecretName`, because a
 * document contains no real values: `page_token` is an input.
 */
export function isProofName(name: string): boolean {
  return PROOFS.test(snakeCase(name));
}
