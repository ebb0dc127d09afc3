import { findVerbs } from "./admin/find-verbs.ts";
import { runCli } from "./admin/cli/run-cli.ts";
import { COMMANDS } from "./composition/commands/commands.ts";
import { programName } from "./project/program-name.ts";

// Each loads what it needs and nothing else: a verb is over before a service would have been read.
const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, onInterrupt };
process.exitCode = await runCli(process.argv.slice(2), io, {
  verbs: findVerbs(),
  lasting: COMMANDS,
  program: () => programName(process.env, process.cwd()),
  open: async (...what) => (await import("./composition/verb-needs/terminal-needs.ts")).openVerbs(...what),
  watch: async (...what) => (await import("./composition/verb-needs/watch-deployment.ts")).watchDeployment(...what),
  // Asked for only where it is to be shown.
  async version() {
    const [{ readVersion }, { INSTALLED_AT, PACKAGE_ROOT }] = await Promise.all([
      import("./composition/deployment.ts"),
      import("./project/package-root.ts"),
    ]);
    return readVersion(PACKAGE_ROOT, INSTALLED_AT);
  },
});

/** Afterwards the process ends as if nobody had listened, so that a shell sees what has ended it. */
function onInterrupt(interrupted: () => void): () => void {
  const end = (): void => {
    process.off("SIGINT", end);
    interrupted();
    process.kill(process.pid, "SIGINT");
  };
  process.on("SIGINT", end);
  return () => process.off("SIGINT", end);
}
