import { needsIsolates, needsOwnProcess } from "./suites.mjs";

/**
 * What the files of one process may take together, on an idle machine: much, because each process loads hundreds of
 * modules, which takes a second of processor time; and little enough that the last processes end at about the same time.
 */
const JOB_SECONDS = 30;

/** Divides files among processes: files on the same store share one if they load the same modules. The longest jobs come first. */
export function planJobs(runs, usual) {
  const jobs = [];
  const open = new Map();
  for (const run of runs) {
    const { file, env, note } = run;
    if (needsOwnProcess(file)) {
      jobs.push({ files: [file], env, note });
      continue;
    }
    const key = `${groupOf(file)}${note}`;
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

/** Black-box tests together, and the unit tests of all folders; those that load isolates, which need an option of Node, apart. */
function groupOf(file) {
  return needsIsolates(file) ? "isolates" : file.split("/", 1)[0];
}
