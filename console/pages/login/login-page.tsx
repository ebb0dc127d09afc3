import { useTitle } from "../../parts/page.tsx";
import { LoginForm } from "./login-form.tsx";
import "./login-page.css";

/** It takes the place of the page that was asked for, at its address. */
export function LoginPage() {
  useTitle("Log in");
  return (
    <main class="login stack">
      <h1>Log in to datarun</h1>
      <LoginForm />
    </main>
  );
}
