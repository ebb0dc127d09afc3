import { styleText } from "node:util";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { printable } from "../../terms/text/printable.ts";
import { type CommandIo, typedText } from "./command-io.ts";

/** No progress is shown for shorter work. */
const QUIET_MS = 1_000;
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;
const COLUMNS_BY_DEFAULT = 80;
const ERASE_LINE = "\r\u001b[K";

export interface ShownProgress {
  /** @param more a phrase about what was done so far, such as its cost */
  readonly onProgress: (...progress: [...Parameters<OnProgress>, more?: string | undefined]) => void;
  /** Prints a sentence on a line of its own, at once. */
  note(sentence: string): void;
  /** The progress as a phrase: ` after 1,200 of 5,000 runs`. Empty before the first report. */
  soFar(): string;
  /** Erases an unfinished line. */
  end(): void;
}

interface ProgressStep {
  readonly what: string;
  readonly startedAt: number;
  readonly doneBefore: number;
  done: number;
  of: number | undefined;
  more: string | undefined;
}

/**
 * Shows a command's progress on standard error: on a terminal one line that is redrawn, otherwise a plain line every
 * ten seconds, and nothing for a program (`quiet`). Writes synchronously, because the work may block the event loop.
 */
export function openProgress(io: Pick<CommandIo, "stderr" | "typed">, clock: Clock, quiet: boolean): ShownProgress {
  const { stderr } = io;
  const { isTTY = false, columns } = stderr as { readonly isTTY?: boolean; readonly columns?: number };
  // The number of columns is 0 on a terminal that does not know its size.
  const width = (columns || COLUMNS_BY_DEFAULT) - 1;
  // A closed standard error does not fail the command. Without a listener the error would end the process.
  if (stderr.listenerCount("error") === 0) stderr.on("error", () => {});
  const everyMs = isTTY ? DRAW_EVERY_MS : LINE_EVERY_MS;
  let step: ProgressStep | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;

  function erase(): void {
    if (isDrawn) stderr.write(ERASE_LINE);
    isDrawn = false;
  }

  return {
    onProgress(what, done, of?, more?) {
      const now = clock.now();
      if (step?.what !== what) {
        step = { what, startedAt: now, doneBefore: done, done, of, more };
        if (!isTTY) shownAt = now;
      }
      [step.done, step.of, step.more] = [done, of, more];
      if (quiet || now - step.startedAt < QUIET_MS || now - shownAt < everyMs) return;
      shownAt = now;
      const line = lineOf(step, now);
      stderr.write(isTTY ? `${ERASE_LINE}${styleText("dim", line.slice(0, width), { stream: stderr })}` : `${line}\n`);
      isDrawn = isTTY;
    },
    note(sentence) {
      erase();
      stderr.write(`${printable(typedText(sentence, io))}\n`);
    },
    soFar: () => (step === undefined ? "" : ` after ${amountOf(step)}`),
    end: erase,
  };
}

/** `wrapped data keys: 1,200 of 5,000, 240 a second, 16 s left` */
function lineOf(step: ProgressStep, now: number): string {
  const { done, of, doneBefore, startedAt, more } = step;
  const perSecond = ((done - doneBefore) * 1_000) / (now - startedAt);
  const rate =
    perSecond === 0
      ? ""
      : `, ${count(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))} a second`;
  const left = of === undefined || perSecond === 0 || of <= done ? "" : `, ${durationOf((of - done) / perSecond)} left`;
  return `${amountOf(step)}${rate}${left}${more === undefined ? "" : `, ${more}`}`;
}

function amountOf({ what, done, of }: ProgressStep): string {
  return `${count(done)}${of === undefined ? "" : ` of ${count(of)}`} ${what}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

/** On an interrupt, prints the progress so far and what becomes of the work. */
export async function reportInterruption<Result>(
  becomes: string | null,
  progress: ShownProgress,
  io: CommandIo,
  work: () => Promise<Result>,
): Promise<Result> {
  const forget =
    becomes === null ? undefined : io.onInterrupt?.(() => progress.note(`Interrupted${progress.soFar()}. ${becomes}`));
  try {
    return await work();
  } finally {
    forget?.();
    progress.end();
  }
}
