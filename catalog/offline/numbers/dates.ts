/** Whether the day exists and is not after today, which is an ISO date. */
export function isPast(year: number, month: number, day: number, today: string): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day && date.toISOString().slice(0, 10) <= today;
}

/** Whether six digits, such as `850730` for the order `YMD`, are a day of the 19xx or 20xx years. */
export function isPastDay(digits: string, order: "YMD" | "DMY", today: string): boolean {
  const [year, month, day] = partsOf(digits, order);
  return isPast(1900 + year, month, day, today) || isPast(2000 + year, month, day, today);
}

/** Year of the century, month and day of six digits. */
export function partsOf(digits: string, order: "YMD" | "DMY"): readonly [year: number, month: number, day: number] {
  const [first, middle, last] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2))) as [number, number, number];
  return order === "YMD" ? [first, middle, last] : [last, middle, first];
}

/** Whether two digits are a day in any month. */
export function isDayOfMonth(digits: string): boolean {
  return Number(digits) >= 1 && Number(digits) <= 31;
}
