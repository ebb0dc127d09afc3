// Loaded before each file of tests when the costs of a run are asked for. Notes how long the file took, and what it and the
// processes that it waited for took of the processors.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** What the kernel counts in, on every processor that Node has. */
const TICKS_PER_SECOND = 100;
const STAT = "/proc/self/stat";

if (isMainThread && existsSync(STAT)) {
  process.on("exit", () => {
    const fields = readFileSync(STAT, "utf8").split(") ").at(-1).split(" ");
    const [user, system, childrensUser, childrensSystem] = fields.slice(11, 15).map(Number);
    const cost = {
      file: process.argv[1],
      store: process.env.TEST_STORE ?? "embedded",
      took: process.uptime(),
      own: (user + system) / TICKS_PER_SECOND,
      children: (childrensUser + childrensSystem) / TICKS_PER_SECOND,
    };
    appendFileSync(process.env.TEST_COSTS_FILE, `${JSON.stringify(cost)}\n`);
  });
}
