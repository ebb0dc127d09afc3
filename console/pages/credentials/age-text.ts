import { DAY_MS } from "../../parts/time-zone.ts";

/** An age in days; in months or years for longer ages. */
export function ageText(ms: number): string {
  const days = Math.max(0, Math.floor(ms / DAY_MS));
  if (days === 0) return "today";
  if (days < 61) return days === 1 ? "1 day" : `${days} days`;
  if (days < 730) return `${Math.floor(days / 30.44)} months`;
  return `${Math.floor(days / 365.25)} years`;
}
