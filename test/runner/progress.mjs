const LINE_EVERY_MS = 15_000;

/** Reports how far a run of the tests has come: in place on a terminal, a line every 15 seconds elsewhere. */
export function createProgress({ jobs, places, usual }) {
  const files = jobs.flatMap((job) => job.files);
  let left = files.reduce((sum, file) => sum + usual(file), 0);
  let slowdown = 1;
  let done = 0;
  let tests = { passed: 0, failed: 0 };
  const isTerminal = process.stderr.isTTY === true;
  const write = () => {
    const remaining = done === files.length ? "" : `, about ${duration(Math.round((left * slowdown) / places))} left`;
    const text = `${done} of ${files.length} files, ${tests.passed} tests passed, ${tests.failed} failed${remaining}`;
    process.stderr.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
  };
  const timer = isTerminal ? undefined : setInterval(write, LINE_EVERY_MS);
  return {
    onFile(ended) {
      done += 1;
      left -= usual(ended.file);
      [slowdown, tests] = [ended.slowdown, ended.totals];
      if (isTerminal) write();
    },
    end() {
      clearInterval(timer);
      write();
      if (isTerminal) process.stderr.write("\n");
    },
  };
}

export function duration(seconds) {
  return seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
