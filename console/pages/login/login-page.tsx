import { useTitle } from "../../parts/page.tsx";
import { LoginForm } from "./login-form.tsx";
import "./login-page.css";

/** Replaces the requested page without changing its address. */
export function LoginPage() {
  useTitle("Log in");
  return (
    <main class="login stack">
      <h1>Log in to datarun</h1>
      <LoginForm />
    </main>
  );
}
