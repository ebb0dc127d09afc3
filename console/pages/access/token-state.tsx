import { Outcome } from "../../parts/outcome.tsx";
import { Day } from "../../parts/values.tsx";

interface TokenStateProps {
  readonly state: "active" | "revoked" | "expired" | (string & {});
  readonly revokedAt: string | null;
}

/** The state of an access token or an operator token. */
export function TokenState({ state, revokedAt }: TokenStateProps) {
  if (state === "active") return <Outcome kind="found" says="active" />;
  return (
    <div>
      <Outcome kind="off" says={state} /> {state === "revoked" && <Day at={revokedAt} />}
    </div>
  );
}
