import { useLayoutEffect, useRef } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { VerifyCredential } from "./verify-credential.tsx";

interface CreatedCredentialProps {
  readonly org: string;
  readonly credential: string;
  readonly name: string | null;
  readonly source: string;
  readonly notes: readonly string[];
  readonly onAnother: () => void;
}

/** Confirms that a credential is stored, and offers the next steps. */
export function CreatedCredential({ org, credential, name, source, notes, onAnother }: CreatedCredentialProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.focus(), []);
  return (
    <div ref={element} class="stack" role="status" tabIndex={-1}>
      <p>
        <Outcome kind="found" says="stored" />: <CredentialLink id={credential} org={org} name={name} /> for {source}.
        It is available to runs now.
      </p>
      {notes.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <div class="beside">
        <VerifyCredential credential={credential} name={name} source={source} />
        <Button onClick={onAnother}>Store another</Button>
        <a href={hrefOf("/credentials", { org })}>All credentials</a>
        <a href={hrefOf("/credentials", { org, view: "matrix" })}>Credential selection</a>
      </div>
    </div>
  );
}
