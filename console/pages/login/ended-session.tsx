import { Dialog } from "../../parts/dialog.tsx";
import { hasEnded } from "../../session.ts";
import { LoginForm } from "./login-form.tsx";

/** A login dialog above the page whose session has ended. Text typed on the page is kept. */
export function EndedSession() {
  if (!hasEnded.value) return null;
  return (
    <Dialog title="Your session has ended" onClose={() => (hasEnded.value = false)}>
      <p>Log in again to continue on this page.</p>
      <LoginForm />
    </Dialog>
  );
}
