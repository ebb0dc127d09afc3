/**
 * Replaces `process.exit` for sources and the libraries that they use. A call throws, so it fails only the file being
 * loaded or the current call, and not every run. Returns the real `exit` for the command.
 */
export function replaceExit(): (code: number) => never {
  const exit = process.exit.bind(process);
  process.exit = refuse;
  return exit;
}

function refuse(): never {
  throw new Error("process.exit was called; only the command ends this process");
}
