import { defineSource, Type } from "datarun";

import { findPlace, openCalendar, type Holiday, type HolidayCalendar } from "../../offline/holiday-calendar.ts";
import { dateOfDay, dayNumber, WEEKDAYS, weekdayOf, weekendOf, type Weekday } from "../../offline/weekends.ts";

const SPAN_DAYS_MAX = 366;

const description = `
Says whether a date is a business day in a country (and in a state or region of it), which holiday it is, and when the next
and the previous business days are. It also counts on: the date that many business days later or earlier
(\`add_business_days\`), and how many business days lie up to a date (\`until\`). For due dates, cooling-off periods, value dates.

A business day is a day that is neither of the weekend nor a public holiday. Bank holidays that are not public ones (in many
countries 24 and 31 December) count only with \`count_bank_holidays\`. A holiday that begins during the day, such as
Christmas Eve at 14:00, leaves it a business day; \`holidays\` shows it with \`from\`.

**How days are counted.** The date itself is never counted: one business day after a Friday is the Monday. \`until\` counts
every business day after \`date\` up to and with \`until\`; where \`until\` is earlier, those from \`until\` up to but without \`date\`,
as a negative number. A span of more than ${SPAN_DAYS_MAX} days is refused as a bad input. Dates are calendar dates of the place; no time
zone takes part.

**No record** means that the data has no such country, or (with \`reason\`) no such subdivision in it.

**What it does not know**
- Weekends by law. They are the ones of Unicode's locale data for the country as it is today (Friday and Saturday in Saudi
  Arabia, Sunday alone in India), with two corrections of ours, and \`weekend_source\` says which. States that rest on other
  days (Kelantan), former weekends (the Emirates before 2022) and working Saturdays that make up for a bridge day (China,
  Hungary) are unknown: send \`weekend\` where it matters.
- Holidays proclaimed at short notice, and Islamic holidays as the moon is sighted: those are calculated and can be a day off.
- Where a country decides its calendar anew each year: bridge days in Taiwan for which a Saturday was worked, until 2025;
  days moved in China and Hungary; and of Hindu holidays those that no government has announced yet (Deepavali in Singapore
  after 2030). Vesak in Singapore after 2026 is calculated.
- The free afternoons before the two Bayrams in Turkey, Korean substitutes for a Thanksgiving that meets another holiday
  and Korean election days, and what was closed in the Emirates before 2025 and in China before 2014. The holidays of the
  Emirates since 2025, of China since 2014, of Taiwan since 2015 and the Korean New Year are ours, by their laws.
- Calendars of exchanges and payment systems (TARGET, SIFMA).
- Without a subdivision, holidays of single states are left out: in Germany, Epiphany; in Great Britain, the bank holiday
  of late August, while Easter Monday counts although Scotland does not keep it. Send \`subdivision\` there (\`ENG\`, \`SCT\`).
`.trim();

const DATE = String.raw`^(19[7-9]\d|20[0-6]\d)-\d{2}-\d{2}$`;
const date = (about: string) => Type.String({ format: "date", maxLength: 10, pattern: DATE, description: about });

/**
 * Business days of a country or a part of it: whether a date is one, which is the next, and how many there are until
 * another date.
 */
export default defineSource({
  id: "date_holidays__business_days",
  title: "Business days and holidays",
  description,
  docs: "https://github.com/commenthol/date-holidays",
  charge: "free",
  data: [
    {
      name: "Holiday rules, by date-holidays 3.37.0 (from Wikipedia articles named in its licence file)",
      licence: "CC-BY-SA-3.0",
      date: "2026-09-20",
      max_age_days: 180,
      url: "https://github.com/commenthol/date-holidays",
    },
    {
      name: "Weekends: Unicode CLDR as carried by the runtime, corrected for BD and BN",
      licence: "Unicode-3.0",
      date: "as the runtime (CLDR 48 with Node.js 24.21)",
      url: "https://cldr.unicode.org/",
    },
  ],
  inputs: Type.Object({
    country: Type.String({
      pattern: "^[A-Za-z]{2}$",
      maxLength: 2,
      description: "ISO 3166-1 alpha-2 code of the country.",
      examples: ["DE"],
    }),
    subdivision: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9]{1,10}(-[A-Za-z0-9]{1,10}){0,2}$",
        maxLength: 32,
        description: "A state, with or without the country before it, and where the data has them a region of it.",
        examples: ["BY", "DE-BY", "DE-BY-A"],
      }),
    ),
    date: date("The calendar date asked about, 1970 to 2069."),
    add_business_days: Type.Optional(
      Type.Integer({
        minimum: -260,
        maximum: 260,
        description: "Count this many business days on, or back if negative.",
      }),
    ),
    until: Type.Optional(
      date(`Count the business days from \`date\` to this date, at most ${SPAN_DAYS_MAX} days apart.`),
    ),
    count_bank_holidays: Type.Optional(
      Type.Boolean({ description: "Bank holidays are days off too. Left out: no, only public holidays are." }),
    ),
    weekend: Type.Optional(
      Type.Array(Type.Enum([...WEEKDAYS]), {
        maxItems: 3,
        uniqueItems: true,
        description: "The days of the week that are not business days, in place of the country's. An empty list: none.",
      }),
    ),
  }),
  output: Type.Object(
    {
      date: Type.Optional(Type.String({ format: "date", description: "The date asked about." })),
      country: Type.String({ description: "The country's alpha-2 code." }),
      subdivision: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: "The state, and with a hyphen its region, as the data writes them; null for the whole country.",
        }),
      ),
      weekday: Type.Optional(Type.Enum([...WEEKDAYS], { description: "Its day of the week." })),
      is_business_day: Type.Optional(Type.Boolean({ description: "Neither weekend nor a holiday that counts." })),
      is_weekend: Type.Optional(Type.Boolean({ description: "Falls on the weekend." })),
      holidays: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.String({ description: "English name where the data has one, else the local one." }),
            type: Type.Enum(["public", "bank"], { description: "A public holiday, or one of banks only." }),
            substitute: Type.Boolean({ description: "The day is given in place of a holiday on another day." }),
            from: Type.Union([Type.String(), Type.Null()], {
              description:
                "Local time `hh:mm` from which it holds; null for the whole day. With a time, it does not count.",
            }),
          }),
          { description: "Holidays on this date, those that do not count included." },
        ),
      ),
      next_business_day: Type.Optional(Type.String({ format: "date", description: "The first one after the date." })),
      previous_business_day: Type.Optional(
        Type.String({ format: "date", description: "The last one before the date." }),
      ),
      result_date: Type.Optional(
        Type.String({ format: "date", description: "The date `add_business_days` leads to; for 0 the date itself." }),
      ),
      business_days_until: Type.Optional(Type.Integer({ description: "Business days from the date to `until`." })),
      weekend: Type.Optional(
        Type.Array(Type.Enum([...WEEKDAYS]), { description: "The days of the week taken as weekend." }),
      ),
      weekend_source: Type.Optional(
        Type.Enum(["unicode_cldr", "own_table", "request"], { description: "Where that weekend comes from." }),
      ),
      reason: Type.Optional(
        Type.Enum(["unknown_subdivision"], { description: "Why there is no record. Only without one." }),
      ),
      data_date: Type.Optional(Type.String({ format: "date", description: "The day of the holiday rules." })),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch, fail }) {
    const country = inputs.country.toUpperCase();
    const start = dayNumber(inputs.date);
    const end = inputs.until === undefined ? undefined : dayNumber(inputs.until);
    if (end !== undefined && Math.abs(end - start) > SPAN_DAYS_MAX) return fail("input", { charged: "no" });
    const place = await findPlace(country, inputs.subdivision);
    if (place === "unknown_country") return null;
    if (place === "unknown_subdivision") return noMatch({ country, reason: place });
    const calendar = await openCalendar(place);
    const weekend =
      inputs.weekend === undefined ? weekendOf(country) : { days: inputs.weekend, source: "request" as const };
    const isOpen = businessDays(calendar, weekend.days, inputs.count_bank_holidays === true);
    const weekday = weekdayOf(start);
    return {
      date: inputs.date,
      country,
      subdivision: place.state === undefined ? null : [place.state, place.region].filter(Boolean).join("-"),
      weekday,
      is_business_day: await isOpen(start),
      is_weekend: weekend.days.includes(weekday),
      holidays: structuredClone(await calendar.on(start)),
      next_business_day: dateOfDay(await step(isOpen, start, 1)),
      previous_business_day: dateOfDay(await step(isOpen, start, -1)),
      ...(inputs.add_business_days !== undefined && {
        result_date: dateOfDay(await step(isOpen, start, inputs.add_business_days)),
      }),
      ...(end !== undefined && { business_days_until: await countBetween(isOpen, start, end) }),
      weekend: [...weekend.days],
      weekend_source: weekend.source,
      data_date: calendar.dataDate,
    };
  },
});

type IsOpen = (day: number) => Promise<boolean>;

function businessDays(calendar: HolidayCalendar, weekend: readonly Weekday[], countBankHolidays: boolean): IsOpen {
  const closes = (holiday: Holiday) => holiday.from === null && (holiday.type === "public" || countBankHolidays);
  return async (day) => !weekend.includes(weekdayOf(day)) && !(await calendar.on(day)).some(closes);
}

async function step(isOpen: IsOpen, start: number, count: number): Promise<number> {
  const direction = Math.sign(count);
  let day = start;
  for (let left = Math.abs(count); left > 0;) {
    day += direction;
    if (await isOpen(day)) left -= 1;
  }
  return day;
}

async function countBetween(isOpen: IsOpen, start: number, end: number): Promise<number> {
  const [first, last] = end >= start ? [start + 1, end] : [end, start - 1];
  let count = 0;
  for (let day = first; day <= last; day += 1) if (await isOpen(day)) count += 1;
  return end >= start || count === 0 ? count : -count;
}
