/** Where the value of a credential's field is kept outside the store. */
export type SecretReference =
  | { readonly kind: "file"; readonly path: string; readonly key: string | null }
  | {
      readonly kind: "vault";
      readonly version: 1 | 2;
      readonly mount: string;
      readonly path: string;
      readonly key: string;
    }
  | { readonly kind: "aws-sm"; readonly region: string; readonly secret: string; readonly key: string | null }
  | {
      readonly kind: "gcp-sm";
      readonly project: string;
      readonly secret: string;
      readonly version: string;
      readonly key: string | null;
    }
  | {
      readonly kind: "azure-kv";
      readonly vault: string;
      readonly secret: string;
      readonly version: string | null;
      readonly key: string | null;
    };

/** A text that is no reference. The message names the form that it should have, and nothing of the text. */
export class ReferenceError extends Error {
  override readonly name = "ReferenceError";
}

const LENGTH_MAX = 500;

export const REFERENCE_FORMS = {
  file: "file:/PATH[#MEMBER]",
  vault: "vault://MOUNT/PATH#KEY",
  "vault-kv1": "vault-kv1://MOUNT/PATH#KEY",
  "aws-sm": "aws-sm://REGION/SECRET[#MEMBER]",
  "gcp-sm": "gcp-sm://PROJECT/SECRET[/VERSION][#MEMBER]",
  "azure-kv": "azure-kv://VAULT/SECRET[/VERSION][#MEMBER]",
} as const;

/**
 * Parses a reference. `#` is followed by a key of the secret, or by a member of its value, which is then JSON.
 * @throws ReferenceError
 */
export function parseReference(text: string): SecretReference {
  const scheme = /^[a-z0-9-]+(?=:)/.exec(text)?.[0] ?? "";
  if (!Object.hasOwn(REFERENCE_FORMS, scheme))
    throw new ReferenceError(`must begin with one of ${Object.keys(REFERENCE_FORMS).join(": ")}:`);
  const form = REFERENCE_FORMS[scheme as keyof typeof REFERENCE_FORMS];
  const refuse = (why = `must have the form ${form}`): never => {
    throw new ReferenceError(why);
  };
  if (text.length > LENGTH_MAX) refuse(`has more than ${LENGTH_MAX} characters`);
  const rest = text.slice(scheme.length + 1);
  const hash = rest.indexOf("#");
  const place = hash === -1 ? rest : rest.slice(0, hash);
  const key = hash === -1 ? null : rest.slice(hash + 1);
  if (key === "") refuse();
  if (scheme === "file") {
    const path = place.replace(/^\/\/(?=\/)/, "");
    if (!/^\/[^\0]*[^/\0]$/.test(path)) refuse();
    return { kind: "file", path, key };
  }
  if (!place.startsWith("//")) refuse();
  const parts = place.slice(2).split("/");
  if (parts.some((part) => !/^[\w.:@+=-]{1,200}$/.test(part) || part === "." || part === "..")) refuse();
  const [first = "", second = "", third] = parts;
  if (second === "") refuse();
  switch (scheme) {
    case "vault":
    case "vault-kv1":
      if (key === null) return refuse();
      return { kind: "vault", version: scheme === "vault" ? 2 : 1, mount: first, path: parts.slice(1).join("/"), key };
    case "aws-sm":
      if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(first))
        refuse(`must have the form ${form}, with a region such as eu-central-1`);
      // Names of secrets contain slashes.
      return { kind: "aws-sm", region: first, secret: parts.slice(1).join("/"), key };
    case "gcp-sm":
      if (parts.length > 3) refuse();
      return { kind: "gcp-sm", project: first, secret: second, version: third ?? "latest", key };
    default:
      if (parts.length > 3 || !/^[a-zA-Z0-9-]{3,24}$/.test(first)) refuse();
      return { kind: "azure-kv", vault: first, secret: second, version: third ?? null, key };
  }
}
