import { useState } from "preact/hooks";
import type { CallError } from "../../api/send-request.ts";
import { toCallError } from "../../api/use-verb.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/fields.tsx";
import { goToProvider, logIn, loginProblem, ways } from "../../session.ts";
import "./login-form.css";

/** All ways to log in: with the identity provider, if one is configured, and with an operator token. */
export function LoginForm() {
  const [token, setToken] = useState("");
  const [error, setError] = useState<CallError>();
  const [busy, setBusy] = useState<"provider" | "token">();
  const provider = ways.value.identity_provider;

  async function begin(way: "provider" | "token", work: () => Promise<void>): Promise<void> {
    setBusy(way);
    setError(undefined);
    loginProblem.value = undefined;
    try {
      await work();
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      setBusy(undefined);
    }
  }

  const shown = error ?? loginProblem.value;
  return (
    <div class="stack">
      {shown && <Failure error={shown} />}
      {provider !== null && (
        <>
          <Button kind="primary" isBusy={busy === "provider"} onClick={() => void begin("provider", goToProvider)}>
            Log in with {provider}
          </Button>
          <p class="login-or dim">or</p>
        </>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void begin("token", () => logIn(token.trim()));
        }}
      >
        <TextField
          label="Operator token"
          hint={
            <>
              A token begins with <code>dop_</code>. An owner creates one for you. The first is made in a terminal of
              the service's machine: <code>datarun operator create NAME --role owner</code>
            </>
          }
          type="password"
          name="token"
          autocomplete="current-password"
          value={token}
          onValue={setToken}
          required
        />
        <Button kind={provider === null ? "primary" : "plain"} type="submit" isBusy={busy === "token"}>
          {provider === null ? "Log in" : "Log in with the token"}
        </Button>
      </form>
    </div>
  );
}
