import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { project } from "../start/project-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ABI = process.versions.modules;
const HERE = `${process.platform}-${process.arch}`;

interface Install {
  /** The binary that `isolated-vm` has, below its folder. */
  readonly binary: string;
  /** npm has installed a Node beside the package. */
  readonly carriesNode?: boolean;
  readonly libc?: "musl";
}

/** Starts the launcher in an installation whose service and whose carried Node only tell that they were started. */
function launch(t: TestContext, { binary, carriesNode = true, libc }: Install) {
  const folder = project(t, {
    "src/main.ts": `console.log("this Node");`,
    "node_modules/isolated-vm/package.json": `{"name": "isolated-vm"}`,
    [`node_modules/isolated-vm/${binary}`]: "",
    ...(carriesNode && { [`node_modules/node-linux-${process.arch}/bin/node`]: `#!/bin/sh\necho "carried Node"\n` }),
  });
  if (carriesNode) chmodSync(join(folder, `node_modules/node-linux-${process.arch}/bin/node`), 0o755);
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules/node-gyp-build"), join(folder, "node_modules/node-gyp-build"));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "bin/datarun.mjs")], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...(libc !== undefined && { LIBC: libc }) },
  });
  return { status, stdout: stdout.trim(), stderr };
}

/** The launcher asks `isolated-vm` for a binary that fits; the first two are found, the others are for something else. */
const BINARIES: readonly (Install & { readonly runs: "this Node" | "carried Node" })[] = [
  { binary: `prebuilds/${HERE}/isolated-vm.abi${ABI}.glibc.node`, runs: "this Node" },
  { binary: "build/Release/isolated_vm.node", runs: "this Node" },
  { binary: `prebuilds/${HERE}/isolated-vm.abi${ABI}.musl.node`, libc: "musl", runs: "this Node" },
  { binary: `prebuilds/${HERE}/isolated-vm.abi${ABI}.glibc.node`, libc: "musl", runs: "carried Node" },
  { binary: `prebuilds/${HERE}/isolated-vm.abi${Number(ABI) + 1}.glibc.node`, runs: "carried Node" },
  { binary: `prebuilds/linux-riscv64/isolated-vm.abi${ABI}.glibc.node`, runs: "carried Node" },
  { binary: `prebuilds/sunos-${process.arch}/isolated-vm.abi${ABI}.node`, runs: "carried Node" },
];

for (const { runs, ...install } of BINARIES)
  test(`${runs} runs the service if isolated-vm has ${install.binary}${install.libc ? `, on ${install.libc}` : ""}`, (t) => {
    assert.deepEqual(launch(t, install), { status: 0, stdout: runs, stderr: "" });
  });

test("without a Node on which functions can run, the launcher refuses and says what to do", (t) => {
  const { status, stdout, stderr } = launch(t, { binary: "prebuilds/none/none.node", carriesNode: false });
  assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
  assert.equal(
    stderr,
    `datarun needs a Node for which isolated-vm has a binary; this is ${process.versions.node} (${HERE}). Run npm again without --omit=optional, which brings one, or install Node 24.\n`,
  );
});
