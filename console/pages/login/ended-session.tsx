import { Dialog } from "../../parts/dialog.tsx";
import { hasEnded } from "../../session.ts";
import { LoginForm } from "./login-form.tsx";

/** Over the page on which the session has ended: what was typed there is still there afterwards. */
export function EndedSession() {
  if (!hasEnded.value) return null;
  return (
    <Dialog title="Your session has ended" onClose={() => (hasEnded.value = false)}>
      <p>Log in again to go on where you are.</p>
      <LoginForm />
    </Dialog>
  );
}
