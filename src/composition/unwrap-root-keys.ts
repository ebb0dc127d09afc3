import { RootKeyError } from "../credentials/root-key.ts";
import { SecretUnavailable } from "../credentials/references/secret-unavailable.ts";
import type { Settings } from "../settings/settings.ts";
import { withTimeout } from "../terms/time/within.ts";
import type { Clock } from "../terms/time/clock.ts";
import { VARIABLES } from "../terms/variables.ts";
import type { SecretSettings } from "./open-secret-stores.ts";

const KMS = "DATARUN_ROOT_KEY_KMS";
const FORM = `${KMS} must have the form vault-transit://MOUNT/KEY or aws-kms://REGION/KEY`;
const ANSWER_MAX_MS = 10_000;

/**
 * The root keys of the settings, decrypted by the key management service if there is one: `id:ciphertext` or the
 * ciphertext alone, separated by commas. @throws RootKeyError
 */
export async function unwrapRootKeys(
  settings: SecretSettings & Pick<Settings, "rootKey" | "rootKeyKms">,
  clock: Clock,
): Promise<string | undefined> {
  const { rootKey, rootKeyKms } = settings;
  if (rootKeyKms === undefined) return rootKey;
  if (rootKey === undefined)
    throw new RootKeyError(`${KMS} is set, and ${VARIABLES.rootKey}, the key encrypted by it, is not`);
  const decrypt = await decryptorOf(rootKeyKms, settings, clock);
  const keys: string[] = [];
  for (const part of rootKey.split(",").map((text) => text.trim())) {
    if (part === "") continue;
    // Ciphertexts of the transit engine begin with `vault:`.
    const [, id = "", ciphertext = ""] = /^(?:([\w.-]+):(?=vault:|[^:]*$))?(.+)$/.exec(part) ?? [];
    const late = () => new SecretUnavailable("there was no answer in time");
    const plain = await withTimeout(clock, ANSWER_MAX_MS, decrypt(ciphertext), late).catch((error: unknown) => {
      const why = error instanceof SecretUnavailable ? error.message : "an unexpected error";
      throw new RootKeyError(`${KMS}: a root key of ${VARIABLES.rootKey} cannot be decrypted: ${why}`, {
        cause: error,
      });
    });
    keys.push(id === "" ? plain : `${id}:${plain}`);
  }
  return keys.join(",");
}

async function decryptorOf(
  place: string,
  settings: SecretSettings,
  clock: Clock,
): Promise<(ciphertext: string) => Promise<string>> {
  const [, scheme, first = "", key = ""] = /^(vault-transit|aws-kms):\/\/([\w.-]+)\/([\w.:/-]+)$/.exec(place) ?? [];
  if (scheme === undefined) throw new RootKeyError(FORM);
  const { openSecretStores } = await import("./open-secret-stores.ts");
  const stores = openSecretStores(settings, clock);
  return scheme === "aws-kms"
    ? async (ciphertext) => stores.aws().decrypt(first, key, ciphertext)
    : async (ciphertext) => stores.vault().decrypt(first, key, ciphertext);
}
