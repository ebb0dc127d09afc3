import "./values.css";

const DAY_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const NUMBER = new Intl.NumberFormat("en-GB");

/** A moment in UTC, as the ledger has it. `null` is a dash with what it means. */
export function Time({ at, none = "never" }: { readonly at: string | null | undefined; readonly none?: string }) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  return (
    <time class="time" dateTime={at} title={`${at} (UTC)`}>
      {DAY_TIME.format(new Date(at))}
    </time>
  );
}

/** A day, of a moment in UTC. */
export function Day({ at, none = "never" }: { readonly at: string | null | undefined; readonly none?: string }) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  return (
    <time class="time" dateTime={at} title={`${at} (UTC)`}>
      {DAY.format(new Date(at))}
    </time>
  );
}

export function Count({ of }: { readonly of: number }) {
  return <>{NUMBER.format(of)}</>;
}

/** 1,234 ms; from ten seconds on in seconds. */
export function Took({ ms }: { readonly ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span class="dim">–</span>;
  return <>{tookText(ms)}</>;
}

export function tookText(ms: number): string {
  return ms < 10_000 ? `${NUMBER.format(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** An id, which people copy and paste. */
export function Id({ children, href }: { readonly children: string; readonly href?: string }) {
  return href === undefined ? (
    <code class="id">{children}</code>
  ) : (
    <a class="id" href={href}>
      <code>{children}</code>
    </a>
  );
}

/** A word that says what kind of thing this is. `simulated` cannot be overlooked. */
export function Badge({
  kind = "plain",
  children,
}: {
  readonly kind?: "plain" | "simulated" | "live" | "unknown" | "failed";
  readonly children: string;
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
