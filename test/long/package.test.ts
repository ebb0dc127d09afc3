import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { startCommand } from "../rig/command.ts";
import { cannotRunImages } from "../rig/image.ts";
import { closeInstalled, installPackage, MACHINE_PATH, packTarball } from "../rig/package.ts";
import { steady, testedBlock, testedRequest } from "../rig/demo-page.ts";

const file: TestLife = { after };
const tarball = packTarball(file);
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Ways to install it, and who starts it. What a stranger may do besides is in `test/package`. */
for (const installing of [[], ["--ignore-scripts"]]) {
  const installed = installPackage(file, tarball, installing);
  for (const closed of [false, true]) {
    for (const user of isRoot ? (["root", "nobody"] as const) : (["whoever runs this"] as const)) {
      const how = [...installing, closed ? "closed to writing" : "open to writing", `as ${user}`].join(", ");
      test(`an installed package answers as the tutorial says: ${how}`, async (t) => {
        if (closed) closeInstalled(installed);
        const home = mkdtempSync(join(tmpdir(), "datarun-home-"));
        t.after(() => rmSync(home, { recursive: true, force: true }));
        chmodSync(home, 0o700);
        if (user === "nobody") chownSync(home, NOBODY, NOBODY);
        const env = { PATH: MACHINE_PATH, HOME: home, DATARUN_DATA_DIR: join(home, "data") };
        const as = user === "nobody" ? { uid: NOBODY, gid: NOBODY } : {};
        for (const start of ["first", "second"]) {
          const args = start === "first" ? ["--demo"] : [];
          const service = await startCommand(t, args, env, { program: ["npx", "datarun"], cwd: installed, ...as });
          if (start === "first") {
            assert.deepEqual(
              steady(await service.data(testedRequest("request"))),
              steady(JSON.parse(testedBlock("answer"))),
            );
            const [entry] = Object.values((await service.func(testedRequest("function request"))).outputs);
            assert.deepEqual((entry as { output: unknown }).output, JSON.parse(testedBlock("function answer")));
          }
          assert.equal((await fetch(`${service.url}/status`)).status, 200);
          process.kill(-service.pid, "SIGTERM");
          await service.ended;
          assert.equal(service.log().at(-1)?.["event"], "stopped");
        }
      });
    }
  }
}

test(
  "an installed package needs no network to start and to answer",
  { skip: cannotRunImages() ?? false },
  async (t) => {
    const installed = installPackage(file, tarball);
    const asking = `
    ip link set lo up
    "$@" > "$OUT" 2>&1 & service=$!
    for i in $(seq 300); do grep -q /func "$OUT" && break; sleep 0.2; done
    eval "$(grep '^curl.*/data' "$OUT")"
    kill $service`;
    const home = mkdtempSync(join(tmpdir(), "datarun-home-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const launcher = join(installed, "node_modules/.bin/datarun");
    const { stdout } = spawnSync("unshare", ["--net", "sh", "-c", asking, "sh", launcher, "start", "--demo"], {
      encoding: "utf8",
      env: { PATH: MACHINE_PATH, HOME: home, DATARUN_DATA_DIR: join(home, "data"), OUT: join(home, "out") },
    });
    assert.deepEqual(steady(JSON.parse(stdout)), steady(JSON.parse(testedBlock("answer"))));
  },
);
