import { useState } from "preact/hooks";
import type { CallError } from "../../api/ask.ts";
import { toCallError } from "../../api/use-verb.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/fields.tsx";
import { useTitle } from "../../parts/page.tsx";
import { logIn } from "../../session.ts";
import "./login-page.css";

/** Exchanges an operator's token for a session. It stands in place of the page that was asked for. */
export function LoginPage() {
  useTitle("Log in");
  const [token, setToken] = useState("");
  const [error, setError] = useState<CallError>();
  const [isBusy, setBusy] = useState(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await logIn(token.trim());
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main class="login stack">
      <h1>Log in to datarun</h1>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Operator token"
          hint="It begins with dop_. An owner makes one with: datarun operator create NAME --role viewer"
          type="password"
          name="token"
          autocomplete="current-password"
          value={token}
          onValue={setToken}
          required
        />
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Log in
        </Button>
        {error && <Failure error={error} />}
      </form>
    </main>
  );
}
