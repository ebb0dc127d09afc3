import assert from "node:assert/strict";
import { test } from "node:test";
import { findCallShifts } from "../../src/health/compare-calls.ts";
import { findDrift, type SampledReplies } from "../../src/health/find-drift.ts";
import { findShareShifts } from "../../src/health/find-share-shifts.ts";
import type { EndedCalls } from "../../src/health/ports.ts";
import { MemberNames } from "../../src/health/member-names.ts";
import { addCounts, countReply, type PathCounts, type ShapeCounts } from "../../src/health/shape-counts.ts";
import { shapeOfReply } from "../../src/health/shape-of-reply.ts";
import { seeded } from "./seeded.ts";

/*
 * Stationary sources for a month, compared again and again with the 28 days before. An alarm is a report that the previous
 * comparison did not have.
 */

const HOURS = 24;
const BEFORE_DAYS = 28;
const MONTH_DAYS = 30;
/** Hours between comparisons of replies. */
const STEP_HOURS = 6;

/** The number of successes among independent trials. */
function binomial(trials: number, share: number, random: () => number): number {
  if (trials > 200 && trials * share * (1 - share) > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.min(trials, Math.max(0, Math.round(trials * share + normal * Math.sqrt(trials * share * (1 - share)))));
  }
  if (share > 0.5) return trials - binomial(trials, 1 - share, random);
  // Skips from one success to the next.
  let successes = 0;
  if (share <= 0) return 0;
  for (let at = skip(share, random); at < trials; at += 1 + skip(share, random)) successes += 1;
  return successes;
}

function skip(share: number, random: () => number): number {
  return Math.floor(Math.log(1 - random()) / Math.log(1 - share));
}

function sumOf(replies: readonly SampledReplies[]): SampledReplies {
  const counts: ShapeCounts = new Map();
  let samples = 0;
  for (const one of replies) {
    samples += one.samples;
    addCounts(counts, one.counts);
  }
  return { samples, counts, processes: 1 };
}

const RARITIES = [1, 1, 1, 0.999, 0.9, 0.5, 0.1, 0.01, 0.001, 0.0001];

test("stationary replies raise less than one alarm per source and month", () => {
  const random = seeded(4);
  const perHour = [0.2, 3, 40, 1_000, 3_600];
  const sources = 25;
  let alarms = 0;
  for (let source = 0; source < sources; source += 1) {
    const mean = perHour[source % perHour.length]!;
    const paths = Array.from({ length: 60 }, (_, at) => ({
      path: `p${at}`,
      presence: RARITIES[at % RARITIES.length]!,
      nulls: at % 3 === 0 ? RARITIES[Math.floor(random() * RARITIES.length)]! : 0,
    }));
    const hourOf = (): SampledReplies => {
      const samples = binomial(Math.max(1, Math.round(mean * 4)), Math.min(0.25, mean), random);
      const counts: ShapeCounts = new Map([["", countsOf(samples, { object: samples })]]);
      for (const { path, presence, nulls } of paths) {
        const total = binomial(samples, presence, random);
        const absent = binomial(total, nulls, random);
        if (total > 0) counts.set(path, countsOf(total, { null: absent, string: total - absent }));
      }
      return { samples, counts, processes: 1 };
    };
    const hours = Array.from({ length: (BEFORE_DAYS + 1 + MONTH_DAYS) * HOURS }, hourOf);
    const blocks = Array.from({ length: hours.length / STEP_HOURS }, (_, at) =>
      sumOf(hours.slice(at * STEP_HOURS, (at + 1) * STEP_HOURS)),
    );
    let known = new Set<string>();
    for (let now = (BEFORE_DAYS + 1) * HOURS; now < hours.length; now += STEP_HOURS) {
      const [days, today] = comparedDays(blocks, now);
      const before = sumOf(days);
      let first = now - 1;
      for (let samples = hours[first]!.samples; samples < 200 && first > now - HOURS; samples += hours[first]!.samples)
        first -= 1;
      const found = findDrift(before, sumOf(hours.slice(first, now)));
      const shifts = findShareShifts({ before, days, today }, new Set(found.map(({ path }) => path)));
      const drift = [...found, ...shifts].map(({ kind, path }) => `${kind} ${path}`);
      alarms += drift.filter((one) => !known.has(one)).length;
      known = new Set(drift);
    }
  }
  assert.ok(alarms / sources < 0.25, `${alarms} alarms in ${sources} months`);
});

/** The days before `now`, and the last one, from blocks of some hours. */
function comparedDays(blocks: readonly SampledReplies[], now: number): readonly [SampledReplies[], SampledReplies] {
  const dayFrom = (hour: number) => sumOf(blocks.slice(hour / STEP_HOURS, (hour + HOURS) / STEP_HOURS));
  const days = Array.from({ length: BEFORE_DAYS }, (_, day) => dayFrom(now - (BEFORE_DAYS + 1 - day) * HOURS));
  return [days, dayFrom(now - HOURS)];
}

test("shares of paths that differ from day to day and from workday to weekend raise less than one alarm per source and month", () => {
  const random = seeded(7);
  const sources = 24;
  let alarms = 0;
  for (let source = 0; source < sources; source += 1) {
    const mean = [5, 40, 300, 5_000][source % 4]!;
    const [dayEffect, weekEffect] = [[0, 0.05, 0.2][source % 3]!, source % 5 === 0 ? 0.2 : 0];
    const paths = Array.from({ length: 40 }, (_, at) => ({ path: `p${at}`, share: random(), follows: random() - 0.5 }));
    const blocks: SampledReplies[] = [];
    for (let day = 0; day < BEFORE_DAYS + 1 + MONTH_DAYS; day += 1) {
      // Callers of one kind more, of another less: all paths follow.
      const mix = dayEffect * 2 * (random() - 0.5) + (day % 7 < 5 ? weekEffect : -weekEffect);
      const traffic = random() < 0.1 ? 10 : 0.5 + random();
      for (let block = 0; block < HOURS / STEP_HOURS; block += 1) {
        const samples = Math.round((mean * traffic * STEP_HOURS) / HOURS);
        const counts: ShapeCounts = new Map([["", countsOf(samples, { object: samples })]]);
        for (const { path, share, follows } of paths) {
          const total = binomial(samples, Math.min(1, Math.max(0, share + 2 * follows * mix)), random);
          if (total > 0) counts.set(path, countsOf(total, { string: total }));
        }
        blocks.push({ samples, counts, processes: 1 });
      }
    }
    let known = new Set<string>();
    for (let now = (BEFORE_DAYS + 1) * HOURS; now < blocks.length * STEP_HOURS; now += STEP_HOURS) {
      const [days, today] = comparedDays(blocks, now);
      const shifts = findShareShifts({ before: sumOf(days), days, today }, new Set()).map(({ path }) => path);
      alarms += shifts.filter((one) => !known.has(one)).length;
      known = new Set(shifts);
    }
  }
  assert.ok(alarms / sources < 0.25, `${alarms} alarms in ${sources} months`);
});

test("processes that start and learn names at different times raise no alarm", () => {
  const random = seeded(6);
  const reply = () => ({
    id: 1,
    ...(random() < 0.9 && { company: { name: "x", ...(random() < 0.3 && { closed: true }) } }),
    officers: Array.from({ length: Math.floor(random() * 3) }, () => ({ name: "x", born: random() < 0.5 ? null : 1 })),
    ...(random() < 0.05 && { "two words": { deep: { id: 1 } } }),
  });
  const process = (samples: number, known: Iterable<string>): SampledReplies => {
    const names = new MemberNames("", known);
    const counts: ShapeCounts = new Map();
    for (let at = 0; at < samples; at += 1) countReply(counts, shapeOfReply(reply(), "", names, String(random())));
    return { samples, counts, processes: 1 };
  };
  const processes = (count: number, samplesMax: number, known: readonly string[]): SampledReplies => {
    const all: SampledReplies[] = [];
    for (let one = 0; one < count; one += 1) {
      // Some start before the names of the others are stored.
      const stored = random() < 0.5 ? known : [...known, ...all.flatMap(({ counts }) => [...counts.keys()])];
      all.push(process(1 + Math.floor(random() * samplesMax), stored));
    }
    return { ...sumOf(all), processes: count };
  };
  const months = 400;
  let alarms = 0;
  for (let month = 0; month < months; month += 1) {
    const before = processes(1 + Math.floor(random() * 6), random() < 0.5 ? 8 : 400, []);
    const known = random() < 0.5 ? [...before.counts.keys()] : [];
    const now = processes(1 + Math.floor(random() * 3), random() < 0.5 ? 8 : 200, known);
    alarms += findDrift(before, now).length;
    const days = Array.from({ length: 14 }, () => processes(1 + Math.floor(random() * 3), 100, known));
    alarms += findShareShifts({ before: { ...sumOf(days), processes: 30 }, days, today: now }, new Set()).length;
  }
  assert.ok(alarms / months < 0.25, `${alarms} alarms in ${months} months`);
});

function countsOf(total: number, types: Partial<PathCounts["types"]>): PathCounts {
  const none = { null: 0, boolean: 0, number: 0, string: 0, list: 0, object: 0 };
  return { total, types: { ...none, ...types }, maps: 0 };
}

test("stationary calls raise less than one alarm per source and month, also if days differ more than chance explains", () => {
  const random = seeded(5);
  const sources = 60;
  let alarms = 0;
  for (let source = 0; source < sources; source += 1) {
    const mean = [1, 10, 100, 5_000][source % 4]!;
    const [matchRate, failureRate] = [0.2 + 0.75 * random(), [0, 0.01, 0.1][source % 3]!];
    const dayEffect = source % 2 === 0 ? 0 : 0.04;
    let shift = 0;
    const hours = Array.from({ length: (BEFORE_DAYS + 1 + MONTH_DAYS) * HOURS }, (_, hour): EndedCalls => {
      if (hour % HOURS === 0) shift = (random() - 0.5) * 2 * dayEffect;
      const calls = binomial(mean * 2, 0.5, random);
      const failed = binomial(calls, failureRate, random);
      const match = binomial(calls - failed, Math.min(0.99, matchRate + shift), random);
      const slow = binomial(calls, 0.05, random);
      return { at: hour, match, noMatch: calls - failed - match, failed, durations: [0, calls - slow, slow] };
    });
    let known = new Set<string>();
    for (let now = (BEFORE_DAYS + 1) * HOURS; now < hours.length; now += 1) {
      const days = Array.from({ length: BEFORE_DAYS }, (_, day) => {
        const from = now - (BEFORE_DAYS + 1 - day) * HOURS;
        return together(hours.slice(from, from + HOURS));
      });
      const shifts = findCallShifts(hours.slice(now - HOURS, now), days, percentileOf);
      alarms += shifts.filter((one) => !known.has(one)).length;
      known = new Set(shifts);
    }
  }
  assert.ok(alarms / sources < 0.25, `${alarms} alarms in ${sources} months`);
});

function together(hours: readonly EndedCalls[]): EndedCalls {
  const sum = { at: hours[0]!.at, match: 0, noMatch: 0, failed: 0, durations: [0, 0, 0] };
  for (const { match, noMatch, failed, durations } of hours) {
    sum.match += match;
    sum.noMatch += noMatch;
    sum.failed += failed;
    for (const [at, count] of durations.entries()) sum.durations[at]! += count;
  }
  return sum;
}

/** Of durations up to 0, 100 and 1,000 ms. */
function percentileOf([none = 0, usual = 0, slow = 0]: readonly number[], share: number): number {
  const rank = Math.ceil(share * (none + usual + slow));
  return rank <= usual ? (100 * rank) / usual : 100 + (900 * (rank - usual)) / slow;
}
