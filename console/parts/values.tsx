import { currentZone } from "../address.ts";
import { timeFormat } from "./time-zone.ts";
import "./values.css";

const NUMBER = new Intl.NumberFormat("en-GB");

/** A time in the zone of the page. For `null` it shows `none`. */
export function Time({ at, none = "never" }: { readonly at: string | null | undefined; readonly none?: string }) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  return (
    <time class="time" dateTime={at} title={`${at} (UTC)`}>
      {timeFormat(currentZone(), { dateStyle: "medium", timeStyle: "medium" }).format(new Date(at))}
    </time>
  );
}

interface DayProps {
  readonly at: string | null | undefined;
  readonly none?: string;
  /** Time zone of the day; by default that of the page. */
  readonly zone?: string;
}

/** The date of a time. */
export function Day({ at, none = "never", zone = currentZone() }: DayProps) {
  if (at === null || at === undefined) return <span class="dim">{none}</span>;
  return (
    <time class="time" dateTime={at} title={`${at} (UTC)`}>
      {timeFormat(zone, { dateStyle: "medium" }).format(new Date(at))}
    </time>
  );
}

export function Count({ of }: { readonly of: number }) {
  return <>{NUMBER.format(of)}</>;
}

/** A duration: 180 ms below one second, else 1.41 s or 30 s. */
export function Took({ ms }: { readonly ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span class="dim">–</span>;
  return <>{tookText(ms)}</>;
}

export function tookText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  // Three significant digits.
  const digits = seconds < 10 ? 2 : seconds < 100 ? 1 : 0;
  return `${NUMBER.format(Number(seconds.toFixed(digits)))} s`;
}

/** An id, formatted for copying. */
export function Id({ children, href }: { readonly children: string; readonly href?: string }) {
  return href === undefined ? (
    <code class="id">{children}</code>
  ) : (
    <a class="id" href={href}>
      <code>{children}</code>
    </a>
  );
}

/** A short label for the kind of an entry. `simulated` is conspicuous. */
export function Badge({
  kind = "plain",
  children,
}: {
  readonly kind?: "plain" | "simulated" | "live" | "unknown" | "failed";
  readonly children: string;
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
