import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, hrefOf } from "../address.ts";
import { PAGES } from "../pages/pages.ts";
import { logOut, session } from "../session.ts";
import type { CallError } from "../api/send-request.ts";
import { forgetResults } from "../api/result-cache.ts";
import { toCallError } from "../api/use-verb.ts";
import { Button } from "./button.tsx";
import { Search } from "./search.tsx";
import { Failure } from "./failure.tsx";
import "./shell.css";

/** The frame of every page: navigation, search, and the session. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const { path } = address();
  useEffect(() => setOpen(false), [path]);
  const [problem, setProblem] = useState<CallError>();
  const { name, role, console: mode } = session.value!;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="shell-head">
        <a class="shell-mark" href={hrefOf("/")}>
          datarun
        </a>
        <Search />
        <div class="shell-menu">
          <Button onClick={() => setOpen(!isOpen)} pressed={isOpen}>
            Menu
          </Button>
        </div>
        <nav class={isOpen ? "shell-nav is-open" : "shell-nav"} aria-label="Pages">
          <ul>
            {PAGES.map(({ path: target, label }) =>
              label === undefined ? null : (
                <li key={target}>
                  <a href={hrefOf(target)} aria-current={isWithin(path, target) ? "page" : undefined}>
                    {label}
                  </a>
                </li>
              ),
            )}
          </ul>
          <div class="shell-who">
            <p>
              <bdi>{name}</bdi> <span class="dim">{role}</span>
            </p>
            {mode === "read_only" && <p class="dim">This console is read-only.</p>}
            <Button
              kind="quiet"
              onClick={() => void logOut().then(forgetResults, (thrown) => setProblem(toCallError(thrown)))}
            >
              Log out
            </Button>
            {problem && <Failure error={problem} />}
          </div>
        </nav>
      </header>
      <main id="content" class="shell-content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function isWithin(path: string, target: string): boolean {
  return path === target || (target !== "/" && path.startsWith(`${target}/`));
}
