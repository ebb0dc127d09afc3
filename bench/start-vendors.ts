import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Scenario } from "./scenarios.ts";

/** What the vendors saw since they were last asked. */
export interface VendorCounts {
  readonly requests: number;
  /** Requests that did not carry the inputs of the run. */
  readonly withoutInputs: number;
}

export interface Vendors {
  readonly ports: readonly number[];
  readonly origins: readonly string[];
  readonly replyBytes: number;
  /** PEM of who vouches for them, where they speak HTTPS. */
  readonly authority: string | null;
  takeCounts(): Promise<VendorCounts>;
  stop(): Promise<void>;
}

/** Starts the vendors of a scenario in a process of their own. It ends with this one, however this one ends. */
export async function startVendors(scenario: Scenario): Promise<Vendors> {
  const file = fileURLToPath(new URL("vendor.ts", import.meta.url));
  const scheme = scenario.tls ? "https" : "http";
  const argv = [...[scenario.sources, scenario.kilobytes, scenario.vendorDelayMs].map(String), scheme];
  const child = spawn(process.execPath, [file, ...argv], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const said = await nextMessage<Pick<Vendors, "ports" | "replyBytes" | "authority">>(child);
  return {
    ...said,
    origins: said.ports.map((port) => `${scheme}://127.0.0.1:${port}`),
    takeCounts() {
      const answer = nextMessage<VendorCounts>(child);
      child.send("counts");
      return answer;
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

/** The next message of a child, or an error when it ends without one. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message as Message);
    });
  });
}
