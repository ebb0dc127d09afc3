import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Installed packages and whole file systems of images are among it. */
const BYTES_MIN = 6 * 1024 ** 3;

/**
 * A folder for what the tests write: in memory, if that is wanted and there is much room, because hundreds of services
 * would wait for the disk otherwise, most of all while they start.
 */
export function makeTemporaryFolder({ inMemory }) {
  const folder = mkdtempSync(join(inMemory && isMemoryUsable() ? MEMORY : tmpdir(), "datarun-tests-"));
  // Some tests run as a user who may do nothing.
  chmodSync(folder, 0o1777);
  return folder;
}

function isMemoryUsable() {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === MEMORY);
  // Some tests install programs and run them.
  return bavail * bsize >= BYTES_MIN && !mount?.split(" ")[3].split(",").includes("noexec");
}
