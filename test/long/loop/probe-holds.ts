import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { deploy, type Deployment, type Process } from "../../rig/deployed.ts";

/**
 * How long nobody else is served while the service deals with one hostile thing: CPU time between two turns of its event
 * loop, of its main thread alone. The figures are printed. LOOP_HOLDS_PROFILE=1 prints besides what the longest holds were
 * spent on, and makes them somewhat longer; LOOP_HOLDS_ONLY tries those alone whose names contain it.
 */
const CPU_MS_MAX = 50;
const ROUNDS = 3;
const PROBE = fileURLToPath(new URL("hold-probe.mjs", import.meta.url));
const ONLY = process.env["LOOP_HOLDS_ONLY"] ?? "";

interface Hold {
  readonly cpuMs: number;
  readonly spentOn: readonly string[];
}

/** One hostile thing, by its name, and how it is done once. */
export type Play = readonly [name: string, play: () => Promise<unknown>];

export interface Probed {
  readonly deployment: Deployment;
  readonly service: Process;
  /** Plays each a few times, and asserts that the event loop was never held for long. */
  tryAll(plays: readonly Play[]): Promise<void>;
}

/** The command in a process of its own, with the probe in it. */
export async function startProbed(t: TestContext, project: string): Promise<Probed> {
  const folder = mkdtempSync(join(tmpdir(), "datarun-holds-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "holds");
  const profile = process.env["LOOP_HOLDS_PROFILE"];
  const deployment = await deploy(t, {
    project,
    env: {
      NODE_OPTIONS: `--import ${PROBE}`,
      LOOP_HOLDS_FILE: file,
      ...(profile === undefined ? {} : { LOOP_HOLDS_PROFILE: profile }),
    },
  });
  const service = await deployment.start();
  let read = 0;
  const longestHold = async (): Promise<Hold> => {
    await delay(20);
    service.signal("SIGUSR2");
    for (;;) {
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
      if (lines.length > read) return JSON.parse(lines[read++]!) as Hold;
      await delay(5);
    }
  };
  return {
    deployment,
    service,
    async tryAll(plays) {
      for (const [name, play] of plays.filter(([name]) => name.includes(ONLY))) {
        await t.test(name, async (part) => {
          // The first time costs what it takes to compile.
          await play();
          await longestHold();
          const holds: Hold[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            await play();
            holds.push(await longestHold());
          }
          const shortest = holds.toSorted((one, other) => one.cpuMs - other.cpuMs)[0]!;
          part.diagnostic(`${holds.map(({ cpuMs }) => Math.round(cpuMs)).join(", ")} ms of CPU`);
          for (const line of shortest.spentOn) part.diagnostic(`  ${line}`);
          assert.ok(shortest.cpuMs <= CPU_MS_MAX, `${shortest.cpuMs} ms`);
        });
      }
    },
  };
}
