import type { Static } from "typebox";
import { HISTORY_STEPS, type HistoryStep } from "../ledger/history/sum-history.ts";
import type { TimeSpan } from "../terms/time/calendar.ts";
import type { Clock } from "../terms/time/clock.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { Type } from "../terms/schema/type.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../terms/time/durations.ts";
import { momentInput, toRecentSpan } from "./ledger-inputs.ts";
import { requireTimeZone, timeZoneInput } from "./shared-inputs.ts";

const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
/** One more minute than 24 hours have, because the time is extended to whole minutes. */
export const STEPS_MAX = { minute: 24 * 60 + 1, hour: 400, day: 400 } as const;
const TIME_MAX = { minute: "24 hours", hour: "400 hours", day: "400 days" } as const;

/** The inputs of a verb that shows a time step by step. */
export const stepInputs = {
  step: Type.Optional(Type.Enum([...HISTORY_STEPS], { description: "The length of a step; hour by default" })),
  from: Type.Optional(
    momentInput(
      "Runs that started then or later; the last 24 hours by default. A day begins at midnight of --time-zone",
    ),
  ),
  to: Type.Optional(momentInput("Runs that started before then")),
  time_zone: Type.Optional(timeZoneInput("The time zone of days, such as Europe/Berlin; UTC by default")),
};

const stepObject = Type.Object(stepInputs);

interface TimeSteps extends TimeSpan {
  readonly step: HistoryStep;
  readonly timeZone: string;
}

/** @throws OperatorError for a time or a zone that does not exist, or an empty interval */
export function toSteps({ step = "hour", time_zone, ...times }: Static<typeof stepObject>, clock: Clock): TimeSteps {
  const timeZone = requireTimeZone(time_zone ?? "UTC");
  return { step, timeZone, ...toRecentSpan(times, clock, timeZone) };
}

/** @throws OperatorError for too many steps */
export function requireFewSteps({ step, from, to }: TimeSpan & Pick<TimeSteps, "step">): void {
  const stepsOf = (one: HistoryStep): number => Math.round((to - from) / STEP_MS[one]);
  if (stepsOf(step) <= STEPS_MAX[step]) return;
  const fits = HISTORY_STEPS.find((one) => stepsOf(one) <= STEPS_MAX[one]);
  const instead = fits === undefined ? "give a shorter time" : `use --step ${fits}, or give a shorter time`;
  throw new OperatorError("invalid", `With --step ${step} the time can be at most ${TIME_MAX[step]}: ${instead}.`);
}
