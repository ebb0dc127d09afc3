import { renameSync, writeFileSync } from "node:fs";
import type { RunnableSource } from "../../run/ports.ts";
import type { Clock } from "../../terms/clock.ts";
import type { JsonObject } from "../../terms/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { testLive } from "./live-test.ts";
import type { AuthoringTools, LiveCallParts } from "./ports.ts";

/** How long a vendor is left alone before it is asked for a second source. */
export const LIVE_PAUSE_MS = 1_000;

export interface LiveReportParts {
  readonly clock: Clock;
  readonly version: string;
  /** Whether there is an organization whose credentials may be used. */
  readonly hasOwner: boolean;
  /** Takes the report as it is so far. */
  readonly write: (report: JsonObject) => void;
}

/** Asks one source's vendor once. @throws OperatorError where it may not or cannot be asked */
export type AskOnce = (source: RunnableSource) => Promise<JsonObject>;

/**
 * Asks each vendor that bills nothing once, one after the other, and hands over the report after every answer, so that
 * what was asked is written down whatever ends the command. Which sources were left out, and why, is part of it.
 */
export async function askFreeVendors(
  sources: readonly RunnableSource[],
  ask: AskOnce,
  { clock, version, hasOwner, write }: LiveReportParts,
): Promise<JsonObject> {
  const date = new Date(clock.wall()).toISOString().slice(0, 10);
  const asked: JsonObject[] = [];
  const skipped: JsonObject[] = [];
  const lastAsked = new Map<string, number>();
  const report = (): JsonObject => ({ date, version, sources: [...asked], skipped: [...skipped] });
  write(report());
  for (const source of sources) {
    const why = whyNot(source, hasOwner);
    if (why !== null) {
      skipped.push({ source: source.id, why });
      continue;
    }
    const origins = source.declaration.origins ?? [];
    await pauseFor(Math.max(...origins.map((origin) => lastAsked.get(origin) ?? -Infinity)), clock);
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
      for (const origin of origins) lastAsked.set(origin, clock.now());
      write(report());
    }
  }
  write(report());
  return report();
}

/** Why a source is not asked; `null` if it is. */
function whyNot(
  { declaration, leavesMachine, charge, credentialUse }: RunnableSource,
  hasOwner: boolean,
): string | null {
  const { "x-example": isExample } = declaration as unknown as Readonly<Record<string, unknown>>;
  if (!leavesMachine) return "it answers on this machine";
  if (isExample === true) return "it is an example without a vendor";
  if (charge !== "free") return `its vendor bills (${charge})`;
  return credentialUse === "required" && !hasOwner ? "it needs a credential: give --org with one that is stored" : null;
}

async function pauseFor(lastAskedAt: number, clock: Clock): Promise<void> {
  const leftMs = lastAskedAt + LIVE_PAUSE_MS - clock.now();
  if (leftMs <= 0) return;
  await new Promise<void>((resolve) => {
    clock.after(leftMs, resolve);
  });
}

/** What `source test --all --live --free-only` does. @throws OperatorError where there is no store, or the report cannot be written */
export async function reportFreeVendors(
  sources: readonly RunnableSource[],
  path: string,
  tools: AuthoringTools,
  parts: LiveCallParts & { note(sentence: string): void },
): Promise<JsonObject> {
  const { clock } = parts;
  // What would keep every vendor from being asked is said at once.
  await parts.trail();
  const owner = await parts.owner();
  const report = await askFreeVendors(sources, (source) => testLive({}, source, tools, parts), {
    clock,
    version: tools.version(),
    hasOwner: owner !== null,
    write: (found) => writeReport(path, found),
  });
  const asked = report["sources"] as readonly JsonObject[];
  const passed = asked.length > 0 && asked.every((each) => each["passed"] === true);
  return { live: true, passed, report: path, ...report };
}

/** The whole of it or the last whole one. */
function writeReport(path: string, report: JsonObject): void {
  try {
    writeFileSync(`${path}.part`, `${JSON.stringify(report, null, 2)}\n`);
    renameSync(`${path}.part`, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      "invalid",
      `The report ${path} cannot be written (${code}). No vendor is asked without it.`,
      { cause: error },
    );
  }
}

/** For people: one line a source, and below it what differs. */
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
    `${asked.length} asked, ${skipped.length} not: ${result["report"] as string}`,
    "",
  ].join("\n");
}
