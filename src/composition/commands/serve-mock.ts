import { hasTokenShape } from "../../access/access-token.ts";
import { startMock, type Mock, type MockOptions } from "../mock-service.ts";
import { createLog } from "../../operate/log.ts";
import { projectFolder, folderRemark } from "../../project/config-file.ts";
import { ConfigError } from "../../settings/read-settings.ts";
import { CannotSimulate } from "../../simulation/usual-failures.ts";
import { printableJson } from "../../terms/text/printable.ts";
import { listenToLauncher, onStopSignal, onStrayError, replaceExit } from "./command-process.ts";
import { reasonOf, messageWithLocation } from "./reason-of.ts";
import { VARIABLES } from "../../terms/variables.ts";

const STDERR = 2;

/** Serves a mock until the process is told to stop. Resolves with 0 when it is ready, or with the exit code. */
export async function serveMock(given: Omit<MockOptions, "log">): Promise<number> {
  const exit: (code: number) => never = replaceExit();
  let mock: Mock | undefined;
  let stopping = false;
  const close = () =>
    void mock!.close().then(
      () => exit(0),
      () => exit(1),
    );
  // A mock that is still starting is closed once it has started, so that it leaves no files behind.
  const stop = () => {
    if (!stopping && mock !== undefined) close();
    stopping = true;
  };
  onStopSignal(stop);
  listenToLauncher(stop, stop);
  onStrayError((thrown) => {
    if (mock !== undefined) return mock.reportStray(thrown);
    process.stderr.write(
      `datarun mock cannot start: work that a loaded file started has failed: ${messageWithLocation(thrown)}\n`,
    );
    exit(1);
  });
  try {
    refuseRealSecrets(given.token, process.env);
    const project = projectFolder(given.project, process.cwd());
    const remark = folderRemark(project, process.cwd());
    if (remark !== null) process.stderr.write(`${remark}\n`);
    // Standard output is for programs: one line.
    mock = await startMock({ ...given, project, log: createLog("warn", STDERR) });
  } catch (error) {
    const isAsked = error instanceof CannotSimulate || error instanceof ConfigError;
    process.stderr.write(`datarun mock cannot start: ${isAsked ? error.message : reasonOf(error)}\n`);
    return exit(isAsked ? 2 : 1);
  }
  if (stopping) {
    close();
    return 0;
  }
  const portOf = (url: string) => Number(new URL(url).port);
  const ready = {
    ready: true,
    mode: "simulated",
    url: mock.url,
    port: portOf(mock.url),
    admin_url: mock.adminUrl,
    admin_port: portOf(mock.adminUrl),
    token: given.token,
    workflow: given.workflow,
  };
  process.stdout.write(`${printableJson(ready)}\n`);
  return 0;
}

/**
 * Refuses to start where a real service would run, because a mock answers with invented data. Refuses a real token,
 * because the mock prints its token.
 * @throws ConfigError
 */
function refuseRealSecrets(token: string, environment: NodeJS.ProcessEnv): void {
  if (hasTokenShape(token))
    throw new ConfigError(
      "--token has the form of a real access token. Use any other text: the token of a mock is printed.",
    );
  const key = [VARIABLES.rootKey, VARIABLES.rootKeyFile].find((name) => (environment[name] ?? "") !== "");
  if (key !== undefined)
    throw new ConfigError(
      `${key} is set, as for a real service. A mock answers with invented data and takes no key: unset it.`,
    );
}
