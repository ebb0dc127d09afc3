import { parseReference } from "../credentials/references/reference.ts";
import { SecretReferences } from "../credentials/references/secret-references.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { SecretSettings, SecretStores } from "./open-secret-stores.ts";

/**
 * The values of credentials that are kept elsewhere. The code for stores of secrets is loaded with the first reference.
 */
export function openSecretReferences(settings: SecretSettings, clock: Clock): SecretReferences {
  let opening: Promise<SecretStores> | undefined;
  const open = async () => (await import("./open-secret-stores.ts")).openSecretStores(settings, clock);
  return new SecretReferences({
    clock,
    ttlMs: settings.secrets.ttlMs,
    async read(text) {
      const stores = await (opening ??= open());
      const reference = parseReference(text);
      switch (reference.kind) {
        case "file":
          return stores.file(reference);
        case "vault":
          return stores.vault().read(reference);
        case "aws-sm":
          return stores.aws().read(reference);
        case "gcp-sm":
          return stores.google()(reference);
        case "azure-kv":
          return stores.azure()(reference);
      }
    },
  });
}
