import { parseReference } from "../credentials/references/reference.ts";
import { SecretReferences } from "../credentials/references/secret-references.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The settings that say where secrets are. */
export type SecretSettings = Pick<Settings, "secrets" | "secretVariable"> & {
  readonly outbound: Pick<Settings["outbound"], "caFile">;
};

/**
 * The values of credentials that are kept elsewhere. The code for stores of secrets is loaded with the first reference.
 */
export function openSecretReferences(settings: SecretSettings, clock: Clock): SecretReferences {
  let opening: Promise<ReturnType<typeof import("./open-secret-stores.ts").openSecretStores>> | undefined;
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
