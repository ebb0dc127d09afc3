import { useState } from "preact/hooks";
import type { ResultOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
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
  readonly source: string;
}

/** Asks the vendor whether a credential is good: says first that it does, then what came of it. */
export function VerifyCredential({ credential, source }: VerifyCredentialProps) {
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
              The vendor is asked, with {credential}: one real call, which the source declares for this and which costs
              nothing, as its author says. The call is recorded in the audit trail, not on the ledger. If the source
              does not declare such a call, nobody is asked.
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
                Ask the vendor
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
