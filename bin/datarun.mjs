#!/usr/bin/env node
// Starts the service on a Node that can run it: this one if it is 24 or newer and functions can run on it, otherwise the
// one that npm installed beside it. Written for old Nodes too: no syntax here that Node 16 would not read.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { hasIsolates } from "./has-isolates.mjs";

const NEEDED = 24;
const at = (path, from = import.meta.url) => new URL(path, from);
// A checkout runs its sources; the package has them compiled, because Node erases no types below node_modules.
const main = existsSync(at("../src/main.ts")) ? at("../src/main.ts") : at("../dist/src/main.js");
const argv = process.argv.slice(2);
// Code that is compiled once need not be compiled at every start. Where this folder cannot be written, it is.
const compiled = process.env.NODE_COMPILE_CACHE || fileURLToPath(at("../.cache/compiled", main));

const isNewEnough = Number(process.versions.node.split(".")[0]) >= NEEDED;

if (isNewEnough && hasIsolates(import.meta.url)) {
  module.enableCompileCache(compiled);
  await import(main.href);
} else {
  const carried = carriedNode();
  if (carried) run(carried);
  else {
    const needs = isNewEnough ? "a Node for which isolated-vm has a binary" : `Node ${NEEDED} or newer`;
    const { platform, arch, versions } = process;
    process.stderr.write(
      `datarun needs ${needs}; this is ${versions.node} (${platform}-${arch}). Run npm again without --omit=optional, which brings one, or install Node ${NEEDED}.\n`,
    );
    process.exitCode = 1;
  }
}

/** It is beside this package or below it: npm decides where. */
function carriedNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}

function run(node) {
  // The fourth stream is a life line: it closes when this process dies, however it dies, and the service then stops.
  // Requests to stop go along it too. A terminal or a supervisor signals both processes; a signal sent on would be the
  // service's second, and a second one means: at once.
  const child = spawn(node, [fileURLToPath(main), ...argv], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, DATARUN_LIFELINE_FD: "3", NODE_COMPILE_CACHE: compiled },
  });
  child.stdio[3].on("error", () => {});
  const serves = argv[0] === "start" || argv[0] === "dev";
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => (serves ? child.stdio[3].write("stop\n") : child.kill(signal)));
  }
  for (const signal of ["SIGUSR2", "SIGQUIT"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`datarun could not start ${node}: ${error.code}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exit(code === null ? 128 + (constants.signals[signal] || 0) : code);
  });
}
