import { weekdayOf } from "./weekends.ts";

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
};

/** One year's holidays with the known errors corrected. */
export function corrected(country: string, year: number, holidays: readonly ListedHoliday[]): readonly ListedHoliday[] {
  const correct = Object.hasOwn(CORRECTIONS, country) ? CORRECTIONS[country] : undefined;
  return correct === undefined ? holidays : correct(holidays, year);
}
