/**
 * Takes `process.exit` away from everything else in this process: sources, and libraries that they use. A call of it
 * throws, so that it costs the file that is being loaded, or the call that is being made, and not everybody's runs.
 * Returns the real one, for the command.
 */
export function takeExit(): (code: number) => never {
  const exit = process.exit.bind(process);
  process.exit = refuse;
  return exit;
}

function refuse(): never {
  throw new Error("process.exit was called; only the command ends this process");
}
