import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { command, verb } from "../start/operator-verb.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

/** util-linux gives a command a terminal of its own. */
const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;

test(
  "standard output is the same on a terminal as in a pipe, and colours are on the terminal's standard error",
  { skip: !hasScript && "there is no util-linux script here" },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), "datarun-output-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const env = { DATARUN_DATA_DIR: join(folder, "data") };
    const org = verb(env, "org", "create", "株式会社")["organization_tuid"]!;
    verb(env, "token", "create", "--org", org);
    for (const args of [
      ["org", "list"],
      ["token", "list", "--org", org, "--json"],
      ["source", "list"],
      ["source", "test", "iso__country"],
      ["keys", "verify"],
      ["check", "--help"],
      ["workflow", "list", "--org", "org_unknown"],
    ]) {
      const piped = command(env, ...args);
      const [out, err] = [join(folder, "out"), join(folder, "err")];
      const line = [process.execPath, LAUNCHER, ...args].map((word) => `'${word}'`).join(" ");
      // Everything is on the terminal; then only standard error, so that the two can be told apart.
      const shown = (more: string, file: string) => {
        const ran = spawnSync("script", ["-qec", `${line} ${more}`, file], {
          env: { PATH: process.env["PATH"], TERM: "xterm-256color", ...env },
        });
        assert.equal(ran.status, piped.code, args.join(" "));
        // A log of a terminal has two lines about itself, and the terminal ends each line in its own way.
        return readFileSync(file, "utf8").split("\n").slice(1, -2).join("\n").replaceAll("\r", "");
      };
      const stdout = shown("2> /dev/null", out);
      assert.equal(steady(stdout), steady(piped.stdout.trimEnd()), args.join(" "));
      const stderr = shown("> /dev/null", err);
      assert.equal(stderr.includes("\u001b["), piped.stderr !== "", args.join(" "));
    }
  },
);

/** Without how long something took. */
function steady(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)? ms/g, "- ms").trimEnd();
}
