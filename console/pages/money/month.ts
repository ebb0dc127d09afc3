import { axisOf, type TimeAxis } from "../../parts/time-range-shape.ts";
import { DAY_MS, fromLocal } from "../../parts/time-zone.ts";

/** A month in the form `2026-03`. */
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const LONG = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** The month in the address, or the current month. */
export function monthOf(text: string | null, now: Date = new Date()): string {
  return text !== null && MONTH.test(text) ? text : now.toISOString().slice(0, 7);
}

/** The time zone in the address, or UTC. Days and months begin in it. */
export function zoneOf(query: URLSearchParams): string {
  return query.get("zone") ?? "UTC";
}

/** Adds months; a negative number subtracts them. */
export function monthAfter(month: string, months: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 7);
}

/** The first day of a month and of the next, as input of verbs. */
export function spanOfMonth(month: string): { readonly from: string; readonly to: string } {
  return { from: `${month}-01`, to: `${monthAfter(month, 1)}-01` };
}

/** In the form March 2026. */
export function monthText(month: string): string {
  return LONG.format(new Date(`${month}-01T00:00:00Z`));
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** The days of a month in a time zone. */
export function axisOfMonth(month: string, zone: string): TimeAxis {
  const [from, to] = [month, monthAfter(month, 1)].map((one) => fromLocal(Date.parse(`${one}-01T00:00:00Z`), zone));
  return axisOf(from!, to!, "day", zone);
}
