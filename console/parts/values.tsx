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

interface DayProps {
  readonly at: string | null | undefined;
  readonly none?: string;
  /** In which time zone it is that day; UTC by default. */
  readonly zone?: string;
}

/** The day of a moment. */
export function Day({ at, none = "never", zone = "UTC" }: DayProps) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  const format = zone === "UTC" ? DAY : new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: zone });
  return (
    <time class="time" dateTime={at} title={`${at} (UTC)`}>
      {format.format(new Date(at))}
    </time>
  );
}

export function Count({ of }: { readonly of: number }) {
  return <>{NUMBER.format(of)}</>;
}

/** 180 ms; from a second on in seconds: 1.41 s, 30 s. */
export function Took({ ms }: { readonly ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span class="dim">–</span>;
  return <>{tookText(ms)}</>;
}

export function tookText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  // Three digits say what anybody compares.
  const digits = seconds < 10 ? 2 : seconds < 100 ? 1 : 0;
  return `${NUMBER.format(Number(seconds.toFixed(digits)))} s`;
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
