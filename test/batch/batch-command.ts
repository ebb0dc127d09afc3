import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "node:test";
import type { BatchRecord } from "../../src/batch/record.ts";
import type { Deployment } from "../rig/deployed.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

export interface BatchEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedBatch {
  readonly ended: Promise<BatchEnd>;
  signal(name: NodeJS.Signals): void;
  stderr(): string;
}

export interface BatchShell {
  readonly folder: string;
  path(name: string): string;
  write(name: string, text: string): string;
  /** `datarun batch` in a process of its own, with the access of the deployment. */
  start(
    args: readonly string[],
    how?: { readonly url?: string; readonly env?: object; readonly stdin?: string },
  ): StartedBatch;
  run(
    args: readonly string[],
    how?: { readonly url?: string; readonly env?: object; readonly stdin?: string },
  ): Promise<BatchEnd>;
  records(name: string): BatchRecord[];
}

/** A folder from which the batches of a test are started, on the machine of a deployment. */
export function batchShell(t: TestContext, deployment: Deployment, project: string, url = ""): BatchShell {
  const folder = mkdtempSync(join(tmpdir(), "datarun-batch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const start: BatchShell["start"] = (args, { url: other = url, env = {}, stdin = "" } = {}) => {
    const child = spawn(process.execPath, [LAUNCHER, "batch", ...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        DATARUN_DATA_DIR: deployment.dataDir,
        DATARUN_PROJECT: project,
        DATARUN_URL: other,
        DATARUN_TOKEN: deployment.access.token,
        DATARUN_WORKFLOW: deployment.access.workflow,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    const printed = { stdout: "", stderr: "" };
    child.stdout.on("data", (text: Buffer) => (printed.stdout += text.toString()));
    child.stderr.on("data", (text: Buffer) => (printed.stderr += text.toString()));
    const ended = new Promise<BatchEnd>((resolve) =>
      child.on("close", (code, signal) => resolve({ code, signal, ...printed })),
    );
    t.after(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    return { ended, signal: (name) => void child.kill(name), stderr: () => printed.stderr };
  };
  return {
    folder,
    path,
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    start,
    run: (args, how) => start(args, how).ended,
    records: (name) =>
      readFileSync(path(name), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as BatchRecord),
  };
}
