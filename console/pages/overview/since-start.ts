import type { LiveEvent } from "../../api/verbs.ts";

const HOUR_MS = 60 * 60 * 1_000;

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const DAY_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** The period of the hourly figures: less than an hour if the process started within it. */
export function lastHourText({ at, started_at: started }: Pick<LiveEvent, "at" | "started_at">): string {
  return Date.parse(at) - Date.parse(started) < HOUR_MS
    ? `since ${TIME.format(new Date(started))} UTC`
    : "in the last hour";
}

/** In the form `27 Nov 2026, 07:58 UTC`. */
export function startText({ started_at: started }: Pick<LiveEvent, "started_at">): string {
  return `${DAY_TIME.format(new Date(started))} UTC`;
}
