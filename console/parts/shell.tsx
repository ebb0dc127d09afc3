import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, currentZone, hrefOf } from "../address.ts";
import { PAGES } from "../pages/pages.ts";
import { logOut, session } from "../session.ts";
import type { CallError } from "../api/send-request.ts";
import { forgetResults } from "../api/result-cache.ts";
import { toCallError } from "../api/use-verb.ts";
import { Button } from "./button.tsx";
import { isInField, Search } from "./search.tsx";
import type { KeysProps } from "./keys.tsx";
import { later } from "./later.tsx";
import { Failure } from "./failure.tsx";
import "./shell.css";

/** The frame of every page: navigation, search, and the session. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const { path } = address();
  useEffect(() => setOpen(false), [path]);
  const [areKeysShown, setKeysShown] = useState(false);
  useEffect(() => onQuestionMark(() => setKeysShown(true)), []);
  const [problem, setProblem] = useState<CallError>();
  const now = session.value;
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
          {now && (
            <div class="shell-who">
              <p>
                <bdi>{now.name}</bdi> <span class="dim">{now.role}</span>
              </p>
              {now.console === "read_only" && <p class="dim">This console is read-only.</p>}
              <p class="dim">Times in {currentZone()}</p>
              <div class="beside">
                <Button
                  kind="quiet"
                  onClick={() => void logOut().then(forgetResults, (thrown) => setProblem(toCallError(thrown)))}
                >
                  Log out
                </Button>
                <Button kind="quiet" onClick={() => setKeysShown(true)}>
                  Keys
                </Button>
              </div>
              {problem && <Failure error={problem} />}
            </div>
          )}
        </nav>
      </header>
      <main id="content" class="shell-content" tabIndex={-1}>
        {children}
      </main>
      {areKeysShown && <Keys onClose={() => setKeysShown(false)} />}
    </div>
  );
}

const Keys = later<KeysProps>(async () => (await import("../pages/seldom-shown.ts")).Keys);

function onQuestionMark(show: () => void): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isInField(event)) return;
    event.preventDefault();
    show();
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

function isWithin(path: string, target: string): boolean {
  return path === target || (target !== "/" && path.startsWith(`${target}/`));
}
