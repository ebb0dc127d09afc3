/** A month in the form `2026-03`. */
import { axisOf, type TimeAxis } from "../../parts/time-range-shape.ts";
import { fromLocal } from "../../parts/time-zone.ts";

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

/** All days of a month. */
export function daysOf(month: string): readonly string[] {
  const days = new Date(Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`) - 1).getUTCDate();
  return Array.from({ length: days }, (_, at) => `${month}-${String(at + 1).padStart(2, "0")}`);
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** The days of a month in a time zone. */
export function axisOfMonth(month: string, zone: string): TimeAxis {
  const [from, to] = [month, monthAfter(month, 1)].map((one) => fromLocal(Date.parse(`${one}-01T00:00:00Z`), zone));
  return axisOf(from!, to!, "day", zone);
}
