import { useErrorBoundary } from "preact/hooks";
import { address } from "./address.ts";
import { matchPath } from "./match-path.ts";
import { EndedSession } from "./pages/login/ended-session.tsx";
import { LoginPage } from "./pages/login/login-page.tsx";
import { NotFoundPage } from "./pages/not-found/not-found-page.tsx";
import { PAGES } from "./pages/pages.ts";
import { Failure } from "./parts/failure.tsx";
import { Shell } from "./parts/shell.tsx";
import { session, wasLoggedIn } from "./session.ts";
import { toCallError } from "./api/use-verb.ts";

/**
 * Shows the login to unauthenticated users at any address, and the page after it. When a session ends, its page stays.
 */
export function App() {
  if (session.value === null) return <LoginPage />;
  if (session.value === undefined && !wasLoggedIn) return null;
  return (
    <Shell>
      {session.value === undefined ? (
        <p class="page list-waits dim">Loading…</p>
      ) : (
        <>
          <CurrentPage key={address().path} />
          <EndedSession />
        </>
      )}
    </Shell>
  );
}

function CurrentPage() {
  const [thrown, retry] = useErrorBoundary();
  if (thrown !== undefined) return <Failure error={toCallError(thrown)} retry={retry} />;
  const { path } = address();
  for (const { path: pattern, page: Page } of PAGES) {
    const parameters = matchPath(pattern, path);
    if (parameters !== null) return <Page {...parameters} />;
  }
  return <NotFoundPage />;
}
