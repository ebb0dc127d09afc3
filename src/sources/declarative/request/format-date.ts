/** `YYYY`, `YY`, `MM`, `M`, `DD`, `D`: everything else in a format stands for itself. */
const TOKEN = /YYYY|YY|MM|M|DD|D/g;

/** Writes an ISO date (`2024-02-29`, a time after it is dropped) in another form; `null` if it is no date that exists. */
export function formatDate(text: string, format: string): string | null {
  const [whole, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[0-9:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? [];
  if (whole === undefined || year === undefined || month === undefined || day === undefined) return null;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return null;
  return format.replace(TOKEN, (token) => {
    if (token === "YYYY") return year;
    if (token === "YY") return year.slice(2);
    const value = token.startsWith("M") ? month : day;
    return token.length === 2 ? value : String(Number(value));
  });
}
