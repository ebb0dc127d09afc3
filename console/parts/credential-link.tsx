import { hrefOfObject } from "./object-link.tsx";
import { ShortId } from "./short-id.tsx";
import "./object-link.css";

interface CredentialLinkProps {
  readonly id: string;
  readonly org: string | null;
  readonly name: string | null | undefined;
}

/** A credential by its name, if it has one, and by the end of its id, linked to its page. */
export function CredentialLink({ id, org, name }: CredentialLinkProps) {
  const href = hrefOfObject("credential", id, org);
  if (!name) return <ShortId id={id} href={href} />;
  return (
    <div class="object-link">
      <a href={href} title={`${name} (${id})`}>
        <bdi>{name}</bdi>
      </a>
      <ShortId id={id} />
    </div>
  );
}

/** The name of a credential in a sentence, or the end of its id. */
export function CredentialName({ id, name }: { readonly id: string; readonly name: string | null | undefined }) {
  return name ? <bdi>{name}</bdi> : <code class="id">…{id.slice(-8)}</code>;
}
