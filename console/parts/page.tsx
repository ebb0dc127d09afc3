import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import "./page.css";

interface PageProps {
  readonly title: string;
  /** The subject of the page in a few words, beside the title. */
  readonly about?: ComponentChildren;
  /** The actions of the page, beside the title. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Title and content of one page. After a navigation the heading gets the focus, so that screen readers announce it. */
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

/** A part of a page with its own heading. */
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
