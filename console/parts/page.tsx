import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import "./page.css";

interface PageProps {
  readonly title: string;
  /** Beside the title: what this page is about, in a few words. */
  readonly about?: ComponentChildren;
  /** What can be done here, beside the title. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Title and content of one page. After a navigation its heading has the focus, so that it is what is read aloud. */
export function Page({ title, about, actions, children }: PageProps) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {about && <p class="dim">{about}</p>}
        </div>
        {actions && <div class="beside">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page under a heading of its own. */
export function Section({ title, actions, children }: Omit<PageProps, "about">) {
  return (
    <section class="section" aria-label={title}>
      <header class="page-head">
        <h2>{title}</h2>
        {actions && <div class="beside">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export function useTitle(title: string): void {
  useEffect(() => void (document.title = `${title} · datarun`), [title]);
}
