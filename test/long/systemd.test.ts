import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cannotRunImages } from "../rig/image.ts";
import { installPackage, packTarball } from "../rig/package.ts";
import { testedBlock, testedRequest } from "../rig/demo-page.ts";
import { until } from "../rig/until.ts";

const BOOT = fileURLToPath(new URL("../rig/systemd.sh", import.meta.url));
const UNIT = fileURLToPath(new URL("../../deploy/datarun.service", import.meta.url));
const PAGE = fileURLToPath(new URL("../../docs/guides/deploy-with-systemd.md", import.meta.url));

function cannotBoot(): string | false {
  const missing = ["/lib/systemd/systemd", "/usr/bin/dbus-daemon"].find((program) => !existsSync(program));
  return missing === undefined ? (cannotRunImages() ?? false) : `${missing} is not installed`;
}

/** The function that the page gives to operators, without `sudo`. */
function commandOfPage(): string {
  const [found] = /^datarun\(\) \{\n[\s\S]*?\n\}$/m.exec(readFileSync(PAGE, "utf8"))!;
  return found.replace("sudo ", "");
}

test(
  "systemd runs the unit: it starts, answers, takes commands as the page gives them, and stops",
  { skip: cannotBoot() },
  async (t) => {
    const installed = installPackage(t, packTarball(t));
    const place = mkdtempSync(join(tmpdir(), "datarun-systemd-"));
    const machine = spawn(
      "unshare",
      [
        "--mount",
        "--pid",
        "--net",
        "--uts",
        "--ipc",
        "--cgroup",
        "--fork",
        "--kill-child",
        "sh",
        BOOT,
        installed,
        UNIT,
        place,
      ],
      { stdio: "ignore" },
    );
    const ended = new Promise((resolve) => machine.on("close", resolve));
    t.after(async () => {
      machine.kill("SIGKILL");
      await ended;
      rmSync(place, { recursive: true, force: true });
    });
    const first = () => readFileSync(`/proc/${machine.pid}/task/${machine.pid}/children`, "utf8").trim();
    await until(() => first() !== "" && readFileSync(`/proc/${first()}/comm`, "utf8") === "systemd\n");
    const inside = (...command: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync("nsenter", ["-t", first(), "-m", "-n", "-p", "-w", ...command], {
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    };
    const log = () => inside("journalctl", "--unit=datarun", "--output=cat", "--no-pager").stdout;
    await until(() => log().includes('"listening"')).catch(() => assert.fail(log()));

    const command = (words: string): Record<string, string> => {
      const { status, stdout, stderr } = inside("bash", "-c", `${commandOfPage()}\ndatarun ${words} --json`);
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout) as Record<string, string>;
    };
    const { organization_tuid: org } = command("org create Acme");
    const { access_token: token } = command(`token create --org ${org} --name test`);
    const { workflow } = command(`workflow create --org ${org} --name test`);
    const headers = [
      `X-Service-Access-Token: ${token}`,
      `X-Service-Workflow: ${workflow}`,
      "Content-Type: application/json",
    ];
    const body = JSON.stringify(testedRequest("function request"));
    const request = ["curl", "--silent", "http://127.0.0.1:8080/func", "--data", body];
    const { stdout } = inside(...request, ...headers.flatMap((header) => ["--header", header]));
    const [answered] = Object.values((JSON.parse(stdout) as { outputs: object }).outputs) as { output: unknown }[];
    assert.deepEqual(answered!.output, JSON.parse(testedBlock("function answer")));

    assert.equal(inside("systemctl", "stop", "datarun").status, 0);
    const { stdout: result } = inside("systemctl", "show", "datarun", "--property=Result,ExecMainStatus");
    assert.deepEqual(result.trim().split("\n").sort(), ["ExecMainStatus=0", "Result=success"]);
    assert.match(log(), /"event":"stopped"/);
  },
);
