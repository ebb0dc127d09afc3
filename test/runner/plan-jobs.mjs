import { dirname } from "node:path";
import { needsOwnProcess } from "./suites.mjs";

/** What the files of one process may take together, on an idle machine: little enough that the last processes end at about the same time. */
const JOB_SECONDS = 12;

/**
 * Divides files among processes: files of neighbouring folders on the same store share one, because they load the same
 * modules. The longest jobs come first.
 */
export function planJobs(runs, usual) {
  const jobs = [];
  const open = new Map();
  for (const run of runs) {
    const { file, env, note } = run;
    if (needsOwnProcess(file)) {
      jobs.push({ files: [file], env, note });
      continue;
    }
    const key = `${folderOf(file)}${note}`;
    let job = open.get(key);
    if (job === undefined || (secondsOf(job) > 0 && secondsOf(job) + usual(file) > JOB_SECONDS)) {
      job = { files: [], env, note };
      open.set(key, job);
      jobs.push(job);
    }
    job.files.push(file);
  }
  return jobs.toSorted((a, b) => secondsOf(b) - secondsOf(a));

  function secondsOf({ files }) {
    return files.reduce((sum, file) => sum + usual(file), 0);
  }
}

/** The unit tests of all folders of `src` together; black-box tests by the first two folders. */
function folderOf(file) {
  const [top, second] = dirname(file).split("/");
  return top === "test" ? `${top}/${second}` : top;
}
