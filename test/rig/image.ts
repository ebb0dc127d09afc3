import { execFileSync, spawn, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { until } from "./until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the Containerfile says about running the image. */
export interface ImageConfig {
  readonly user: number;
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly volumes: readonly string[];
}

export function readContainerfile(): ImageConfig {
  const [, last = ""] = readFileSync(join(ROOT, "deploy/Containerfile"), "utf8").split("\nFROM scratch\n");
  const says = (instruction: string): string => new RegExp(`^${instruction} (.*)$`, "m").exec(last)![1]!;
  const list = (text: string) => JSON.parse(text) as string[];
  return {
    user: Number(says("USER").split(":")[0]),
    env: says("ENV").split(" "),
    entrypoint: list(says("ENTRYPOINT")),
    command: list(says("CMD")),
    healthcheck: list(says("HEALTHCHECK").replace(/^.* CMD /, "")),
    volumes: says("VOLUME").split(" "),
  };
}

/** Why a root file system cannot be run here without a container engine; otherwise null. */
export function cannotRunImages(): string | null {
  if (process.getuid?.() !== 0) return "only root can make a root file system of its own";
  const tried = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "ip", "link", "set", "lo", "up"]);
  return tried.status === 0 ? null : "no namespaces can be made here";
}

/** The root file system of the image, built as the Containerfile builds it. */
export function buildRoot(t: TestLife, tarball: string): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-root-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(ROOT, "tools/image/build-root.ts"), tarball, folder]);
  return folder;
}

/** What an engine does before it starts the first process: read-only, except for the volume, and without a network. */
const SETUP = `
set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/data"
mount -t proc proc "$1/proc"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
for device in null zero random urandom; do : > "$1/dev/$device"; mount --bind "/dev/$device" "$1/dev/$device"; done
mount -o remount,bind,ro "$1"
ip link set lo up
root=$1 user=$3; shift 3
exec /usr/sbin/chroot --userspec="$user:$user" "$root" "$@"
`;

export interface RunningImage {
  printed(): string;
  /** Runs a program in it, as `docker exec` does. */
  exec(...command: readonly string[]): SpawnSyncReturns<string>;
  stop(): void;
  readonly ended: Promise<number | null>;
}

/** Runs a root file system as an engine would with `--read-only --network none` and a volume. Only root can. */
export async function runImage(
  t: TestLife,
  { root, config, args }: { readonly root: string; readonly config: ImageConfig; readonly args: readonly string[] },
): Promise<RunningImage> {
  const volume = mkdtempSync(join(tmpdir(), "datarun-volume-"));
  chownSync(volume, config.user, config.user);
  const inside = [...config.entrypoint, ...args];
  const env = Object.fromEntries(config.env.map((pair) => pair.split("=")));
  const child = spawn(
    "unshare",
    [
      "--mount",
      "--net",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-c",
      SETUP,
      "sh",
      root,
      volume,
      String(config.user),
      ...inside,
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...env, PATH: process.env["PATH"] } },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (printed += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(volume, { recursive: true, force: true });
  });
  let first: string | undefined;
  await until(() => {
    first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
    return first !== "" && existsSync(`/proc/${first}`);
  });
  return {
    printed: () => printed,
    exec: (...command) =>
      spawnSync(
        // By its path: the image's own PATH says where the command is looked up.
        "/usr/bin/nsenter",
        ["-t", first!, "-m", "-n", "-p", "-r", "-w", "-S", String(config.user), "-G", String(config.user), ...command],
        { encoding: "utf8", env },
      ),
    stop: () => void process.kill(Number(first), "SIGTERM"),
    ended,
  };
}
