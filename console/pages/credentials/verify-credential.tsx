import { useState } from "preact/hooks";
import type { ResultOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { CredentialName } from "../../parts/credential-link.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome, type OutcomeKind } from "../../parts/outcome.tsx";
import { mayUse } from "../../session.ts";

type Verdict = ResultOf<"credential verify">["verdict"];

const KINDS: Readonly<Record<Verdict, OutcomeKind>> = {
  good: "found",
  rejected: "failed",
  "could not tell": "unknown",
};

interface VerifyCredentialProps {
  readonly credential: string;
  readonly name: string | null;
  readonly source: string;
}

/** Verifies a credential with its vendor. Explains the call first, and shows the verdict afterwards. */
export function VerifyCredential({ credential, name, source }: VerifyCredentialProps) {
  const [isOpen, setOpen] = useState(false);
  const [result, setResult] = useState<ResultOf<"credential verify">>();
  const { isBusy, error, run } = useAct("credential verify");
  if (!mayUse("credential verify")) return null;
  const close = () => setOpen(false);
  return (
    <>
      <Button
        onClick={() => {
          setResult(undefined);
          setOpen(true);
        }}
      >
        Verify
      </Button>
      {isOpen && (
        <Dialog title={`Verify the credential for ${source}`} onClose={close}>
          {result === undefined ? (
            <p>
              This makes one live call to the vendor with <CredentialName id={credential} name={name} />. The source
              declares a call for this purpose, and its author states that it is free of charge. The call is recorded in
              the audit trail, not in the ledger. If the source declares no such call, nothing is sent.
            </p>
          ) : (
            <div role="status" class="stack">
              <p>
                <Outcome kind={KINDS[result.verdict]} says={result.verdict} />: {result.reason}.
              </p>
              <p class="dim">Nothing was charged.</p>
            </div>
          )}
          {error && <Failure error={error} />}
          <div class="dialog-actions">
            <Button onClick={close}>{result === undefined ? "Cancel" : "Close"}</Button>
            {result === undefined && (
              <Button kind="primary" isBusy={isBusy} onClick={() => void run({ cred_id: credential }).then(setResult)}>
                Call the vendor
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
