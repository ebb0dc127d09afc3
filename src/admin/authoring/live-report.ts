import { readFileSync } from "node:fs";
import type { RunnableSource } from "../../run/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { markTested } from "../../sources/declarative/source-text.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { testLive } from "./live-test.ts";
import type { AuthoringTools, LiveCallParts } from "./ports.ts";
import { replaceFile } from "./replace-file.ts";
import { shownPath } from "./source-files.ts";

/** The pause before the same vendor is called for another source. */
export const LIVE_PAUSE_MS = 1_000;

export interface LiveReportParts {
  readonly clock: Clock;
  readonly version: string;
  /** Whether there is an organization whose credentials may be used. */
  readonly hasOwner: boolean;
  /** Writes the report so far. */
  readonly write: (report: JsonObject) => void;
}

/** Calls one source's vendor once. @throws OperatorError if that is not allowed or not possible */
export type AskOnce = (source: RunnableSource) => Promise<JsonObject>;

/**
 * Calls each vendor that bills nothing once, one after another. Writes the report after every reply, so that an
 * interrupted command leaves a report up to that point. Lists the sources that were left out, with reasons.
 */
export async function askFreeVendors(
  sources: readonly RunnableSource[],
  ask: AskOnce,
  { clock, version, hasOwner, write }: LiveReportParts,
): Promise<JsonObject> {
  const date = new Date(clock.wall()).toISOString().slice(0, 10);
  const asked: JsonObject[] = [];
  const skipped: JsonObject[] = [];
  const lastCalledAt = new Map<string, number>();
  const report = (): JsonObject => ({ date, version, sources: [...asked], skipped: [...skipped] });
  write(report());
  for (const source of sources) {
    const why = whyNot(source, hasOwner);
    if (why !== null) {
      skipped.push({ source: source.id, why });
      continue;
    }
    const origins = source.declaration.origins ?? [];
    await pauseFor(Math.max(...origins.map((origin) => lastCalledAt.get(origin) ?? -Infinity)), clock);
    try {
      const { live: _, source: id, recorded_in: __, ...found } = await ask(source);
      if (found["outcome"] === "credential" && found["requests"] === 0) {
        skipped.push({ source: source.id, why: "no credential of the organization is usable" });
      } else {
        const isProven = found["passed"] === true;
        asked.push({ source: id!, ...found, "x-live-tested": isProven ? `${date}, version ${version}` : "never" });
      }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      skipped.push({ source: source.id, why: error.message });
    } finally {
      for (const origin of origins) lastCalledAt.set(origin, clock.now());
      write(report());
    }
  }
  write(report());
  return report();
}

/** Why a source is not called; `null` if it is. */
function whyNot(
  { declaration, leavesMachine, charge, credentialUse }: RunnableSource,
  hasOwner: boolean,
): string | null {
  const { "x-example": isExample } = declaration as unknown as Readonly<Record<string, unknown>>;
  if (!leavesMachine) return "it answers on this machine";
  if (isExample === true) return "it is an example without a vendor";
  if (charge !== "free") return `its vendor bills (${charge})`;
  return credentialUse === "required" && !hasOwner
    ? "it needs a credential: give --org with an organization that has one"
    : null;
}

async function pauseFor(lastAskedAt: number, clock: Clock): Promise<void> {
  const leftMs = lastAskedAt + LIVE_PAUSE_MS - clock.now();
  if (leftMs <= 0) return;
  await new Promise<void>((resolve) => {
    clock.after(leftMs, resolve);
  });
}

/**
 * Runs `source test --all --live --free-only`.
 * @throws OperatorError if there is no store, or the report cannot be written
 */
export async function reportFreeVendors(
  sources: readonly RunnableSource[],
  { path, marks }: { readonly path: string; readonly marks: boolean },
  tools: AuthoringTools,
  parts: LiveCallParts & { note(sentence: string): void; readonly onProgress: OnProgress },
): Promise<JsonObject> {
  const { clock, note, onProgress } = parts;
  // Problems that would affect every vendor are reported before the first call.
  await parts.trail();
  const owner = await parts.owner();
  const report = await askFreeVendors(sources, (source) => testLive({}, source, tools, parts), {
    clock,
    version: tools.version(),
    hasOwner: owner !== null,
    write: (found) => {
      writeReport(path, found);
      const done = ["sources", "skipped"].map((name) => (found[name] as readonly JsonObject[]).length);
      onProgress("sources called or skipped", done[0]! + done[1]!, sources.length);
    },
  });
  const asked = report["sources"] as readonly JsonObject[];
  const passed = asked.length > 0 && asked.every((each) => each["passed"] === true);
  if (asked.length > 0 && asked.every(({ outcome }) => outcome === "unreachable")) note(NO_NETWORK);
  if (marks) for (const each of asked.filter((one) => one["passed"] === true)) markFile(each, tools, note);
  return { live: true, passed, report: path, ...report };
}

const NO_NETWORK =
  "No vendor could be reached, so the report says nothing about them. Is there a network here, and does the setting outbound.proxy name the proxy that it needs?";

/** Writes the date of the test into the source's own file. */
function markFile(
  { source, "x-live-tested": tested }: JsonObject,
  tools: AuthoringTools,
  note: (sentence: string) => void,
): void {
  const file = tools.fileOf(source as string)!;
  const line = `x-live-tested: ${tested as string}`;
  if (!/\.ya?ml$/.test(file.path)) {
    note(
      `${shownPath(file.path)} is written in TypeScript: write "x-live-tested": "${tested as string}" there yourself.`,
    );
    return;
  }
  try {
    replaceFile(file.path, markTested(readFileSync(file.path, "utf8"), tested as string));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    note(`${shownPath(file.path)} cannot be written (${code}): write ${line} there yourself.`);
  }
}

function writeReport(path: string, report: JsonObject): void {
  try {
    replaceFile(path, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      "invalid",
      `The report ${path} cannot be written (${code}). Without a report no vendor is called.`,
      { cause: error },
    );
  }
}

/** For people: one line for each source, followed by its differences. */
export function renderLiveReport(result: JsonObject): string {
  const asked = result["sources"] as readonly (JsonObject & { differences: readonly string[] })[];
  const skipped = result["skipped"] as readonly JsonObject[];
  const lines = asked.flatMap(({ source, case: name, outcome, message, passed, differences }) => [
    `${passed === true ? (differences.length === 0 ? "ok     " : "differs") : "FAILED "} ${source as string}, case "${name as string}": ${outcome as string}${message === null ? "" : ` (${message as string})`}`,
    ...differences.map((each) => `          ${each}`),
  ]);
  const left = skipped.filter(({ why }) => why !== "it answers on this machine");
  return [
    ...lines,
    ...left.map(({ source, why }) => `skipped ${source as string}: ${why as string}`),
    `${asked.length} called, ${skipped.length} skipped: ${result["report"] as string}`,
    "",
  ].join("\n");
}
