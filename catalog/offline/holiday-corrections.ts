import { dayNumber, weekdayOf } from "./weekends.ts";

/** A holiday as the library lists it, in local days of its country. */
export interface ListedHoliday {
  readonly name: string;
  readonly type: "public" | "bank";
  /** The library's rule for the holiday. */
  readonly rule: string;
  readonly substitute: boolean;
  /** `hh:mm` local time, for a holiday that begins during the day. */
  readonly from: string | null;
  readonly firstDay: number;
  readonly days: number;
}

type Correct = (holidays: readonly ListedHoliday[], year: number) => readonly ListedHoliday[];

/**
 * Corrections where the library's rules are known to differ from the law. A country is added only on the basis of its
 * law; the comment beside it says where the law, or a report about it, can be read.
 */
const CORRECTIONS: Readonly<Record<string, Correct>> = {
  /**
   * From 2025, Cabinet Resolution 27 of 2024 on public holidays. Earlier years are left as the library has them. 2 and
   * 3 December and Arafat Day as in the Cabinet's calendar that wam.ae and zawya.com reported on 2023-11-21, the former
   * again on gulfnews.com (1.1732265588345). The resolution itself was not found in public; for its start in 2025 and
   * the days that it names see https://www.khaleejtimes.com/uae/transferable-public-holidays-explained.
   */
  AE: (holidays, year) => {
    if (year < 2025) return holidays;
    const left = holidays.filter(({ rule }) => rule !== "27 Rajab" && rule !== "1 Ramadan");
    return left.flatMap((holiday) => {
      if (holiday.rule === "12-02") return [{ ...holiday, days: 2 }];
      if (!holiday.rule.startsWith("10 Dhu al-Hijjah")) return [holiday];
      return [{ ...holiday, name: "Arafat Day", firstDay: holiday.firstDay - 1, days: 1 }, holiday];
    });
  },

  /**
   * Regulation on Public Holidays for National Annual Festivals and Memorial Days: State Council decree 644 (from 2014)
   * and decree 795 (from 2025): four days of New Year from its eve, 1 and 2 May,
   * https://www.ctaweb.org.cn/en/redianpinglun/10086.html and http://en.people.cn/n3/2024/1113/c90000-20240871.html.
   * Children's Day is a holiday for children only.
   */
  CN: (holidays, year) =>
    holidays.flatMap((holiday) => {
      const { rule, firstDay } = holiday;
      if (rule === "06-01") return [];
      if (year < 2014) return [holiday];
      if (rule === "chinese 01-0-00" && year < 2025) return [];
      if (rule === "chinese 01-0-02") return [holiday, { ...holiday, firstDay: firstDay + 1 }];
      if (rule === "05-01" && year >= 2025) return [{ ...holiday, days: 2 }];
      return [holiday];
    }),

  /**
   * New Year is the day before, the day itself and the day after. From 2014, if one of them is a Sunday, the next day
   * that is none of them is a holiday too (Regulations on Holidays of Government Offices, articles 2 and 3). The
   * library begins on the day itself. Three days, so dated for 2025: https://worldholidayhub.com/kr/2025/tl; for 2019
   * to 2025 the last of them: https://time.astrosage.com/holidays/south-korea/seollal-holiday-1. From 2014, and of New
   * Year only for a Sunday: http://www01.koreaherald.com/view.php?mp=182&np=1813&ud=20131029000921 and
   * https://myhubs.org/2021/09/24/extended-application-of-substitute-holidays/.
   */
  KR: (holidays, year) =>
    holidays.flatMap((holiday) => {
      // For some years the library has the substitute as a fixed date.
      if (holiday.substitute && holiday.name.startsWith("Korean New Year")) return [];
      if (!holiday.rule.startsWith("korean 01-0-01")) return [holiday];
      const newYear = { ...holiday, firstDay: holiday.firstDay - 1 };
      const hasSunday = [0, 1, 2].some((day) => weekdayOf(newYear.firstDay + day) === "sunday");
      if (!hasSunday || year < 2014) return [newYear];
      const name = `${holiday.name} (substitute day)`;
      return [newYear, { ...newYear, name, substitute: true, firstDay: newYear.firstDay + 3, days: 1 }];
    }),

  /**
   * Enforcement Act for Memorial Days and Festivals, in force since 28 May 2025
   * (https://www.listenlaw.info/2025/05/enforcement-act-for-memorial-days-and.html): new holidays, and the day before the
   * eve of the New Year and 1 May for everyone. Since 2015 a holiday on a Saturday is kept on the Friday before, one on a
   * Sunday on the Monday after, and Children's Day on the day before, or on a Thursday the day after, if it meets Tomb
   * Sweeping Day. The New Year's substitutes are the library's.
   */
  TW: (holidays, year) => {
    if (year < 2015) return holidays;
    const isOfNewYear = ({ rule }: ListedHoliday) => rule.startsWith("chinese 01-0-") || rule.startsWith("01-01");
    const newYear = holidays.filter(isOfNewYear);
    const eve = newYear.find(({ rule }) => rule === "chinese 01-0-00");
    if (eve !== undefined && year >= 2026)
      newYear.push({ ...eve, name: "The day before Chinese New Year's Eve", firstDay: eve.firstDay - 1 });
    const others = [
      ...holidays.filter((holiday) => !isOfNewYear(holiday) && !holiday.substitute),
      ...(year >= 2025 ? TAIWANESE_DAYS_SINCE_2025.map(([day, name]) => dayOff(year, day, name)) : []),
      ...(year >= 2026 ? [dayOff(year, "05-01", "Labour Day")] : []),
    ];
    return [...newYear, ...others, ...taiwaneseSubstitutes(others)];
  },

  /** 5 U.S.C. 6103 and Executive Order 11582: all federal holidays on a weekend are observed on the Friday before or the Monday after. */
  US: (holidays) =>
    holidays.map((holiday) =>
      holiday.rule.startsWith("substitutes 11-11") ? { ...holiday, type: "public" } : holiday,
    ),
};

/**
 * Holidays that the library does not have for some years, in its own grammar. In Singapore, Vesak is the full moon of the
 * fourth month; the Ministry of Manpower's dates from 2014 to 2026 agree, and the library has none after them.
 */
export const MISSING_HOLIDAYS: Readonly<Record<string, { readonly rule: string; readonly name: string }>> = {
  SG: { rule: "chinese 04-0-15 and if sunday then next monday since 2027", name: "Vesak Day" },
};

const TAIWANESE_DAYS_SINCE_2025 = [
  ["09-28", "Confucius' Birthday"],
  ["10-25", "Taiwan Retrocession Day"],
  ["12-25", "Constitution Day"],
] as const;

function dayOff(year: number, day: string, name: string): ListedHoliday {
  const firstDay = dayNumber(`${year}-${day}`);
  return { name, type: "public", rule: day, substitute: false, from: null, firstDay, days: 1 };
}

/** A working day for each holiday that is lost to a weekend, or to Tomb Sweeping Day. */
function taiwaneseSubstitutes(holidays: readonly ListedHoliday[]): readonly ListedHoliday[] {
  const isWeekend = (day: number) => ["saturday", "sunday"].includes(weekdayOf(day));
  const isChildrens = ({ rule }: ListedHoliday) => rule.startsWith("04-04");
  const tombSweeping = holidays.find(({ rule }) => rule.startsWith("chinese 5-01"))?.firstDay;
  const taken = new Set(holidays.map(({ firstDay }) => firstDay));
  const childrensLast = [...holidays.filter((one) => !isChildrens(one)), ...holidays.filter(isChildrens)];
  return childrensLast.flatMap((holiday) => {
    let day = holiday.firstDay;
    const meetsAnother = isChildrens(holiday) && day === tombSweeping;
    if (!meetsAnother && !isWeekend(day)) return [];
    if (meetsAnother) day += weekdayOf(day) === "thursday" ? 1 : -1;
    const step = weekdayOf(day) === "sunday" ? 1 : -1;
    while (isWeekend(day) || taken.has(day)) day += step;
    taken.add(day);
    return [{ ...holiday, name: `${holiday.name} (substitute day)`, substitute: true, firstDay: day }];
  });
}

/** One year's holidays with the known errors corrected. */
export function corrected(country: string, year: number, holidays: readonly ListedHoliday[]): readonly ListedHoliday[] {
  const correct = Object.hasOwn(CORRECTIONS, country) ? CORRECTIONS[country] : undefined;
  return correct === undefined ? holidays : correct(holidays, year);
}
