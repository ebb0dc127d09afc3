import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { checkInput } from "../../src/admin/run-verb.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { fileVariableOf, SETTINGS, variableOf, type Setting } from "../../src/settings/table.ts";
import { ROUTES } from "../../src/http/app.ts";
import { HEADER_BYTES_MAX } from "../../src/http/server.ts";
import { shapeOf } from "../../src/admin/cli/options.ts";
import { parseCommand } from "../../src/admin/cli/parse-command.ts";
import { parseStateFile } from "../../src/admin/state/read-state-file.ts";
import applyCommand from "../../src/composition/commands/apply.ts";
import checkCommand from "../../src/composition/commands/check.ts";
import { COMMAND_VARIABLES } from "../../src/terms/variables.ts";
import { CALL_MS_MAX } from "../../src/terms/time/times.ts";
import { readContainerfile } from "../rig/image.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const settings = SETTINGS as readonly Setting[];
const graceMs = settings.find(({ key }) => key === "limits.shutdown_grace_ms")!.default as number;
const VARIABLES = new Set<string | null>([
  ...settings.flatMap((setting) => [variableOf(setting), fileVariableOf(setting)]),
  ...Object.values(COMMAND_VARIABLES),
]);
const MANIFESTS = [
  "deploy/Containerfile",
  "deploy/compose.yaml",
  "deploy/datarun.service",
  "deploy/datarun-backup.service",
  ...globSync("deploy/kubernetes/**/*.yaml", { cwd: ROOT }),
];

test("every variable that a manifest sets or explains is one that the service reads", () => {
  const named = [...MANIFESTS, ...globSync("docs/guides/deploy-*.md", { cwd: ROOT })].flatMap((path) =>
    [...read(path).matchAll(/\b(?:DATARUN|DATABASE)_[A-Z_]+\b/g)].map(([name]) => ({ path, name })),
  );
  assert.ok(named.length > 20);
  const unknown = named.filter(({ name }) => !VARIABLES.has(name));
  assert.deepEqual(unknown, []);
});

test("the values that a manifest sets are ones that the service accepts", () => {
  const { configMapGenerator } = parse(read("deploy/kubernetes/kustomization.yaml")) as Kustomization;
  const { services } = parse(read("deploy/compose.yaml")) as Compose;
  const pairs = [
    ...configMapGenerator.flatMap(({ literals }) => literals),
    ...podOfKubernetes().containers[0]!.env.map(({ name, value }) => `${name}=${value}`),
    ...Object.entries(services.datarun.environment).map(
      ([name, value]) => `${name}=${value.replace(/^\$\{.*:-(.*)\}$/, "$1")}`,
    ),
    ...readContainerfile().env,
  ];
  const own = pairs.map((pair) => pair.split("=") as [string, string]).filter(([name]) => !name.endsWith("_FILE"));
  assert.ok(own.length > 5);
  for (const [name, value] of own) readSettings({ environment: { [name]: value } });
});

test("the only path that can be written is the data directory, in every manifest, and the pages name it", () => {
  const image = readContainerfile();
  assert.ok(image.env.includes(`DATARUN_DATA_DIR=${image.volumes.join()}`));

  const { services } = parse(read("deploy/compose.yaml")) as Compose;
  assert.equal(services.datarun.read_only, true);
  assert.deepEqual(services.datarun.volumes, ["data:/data"]);
  assert.equal(services.datarun.tmpfs, undefined);

  const { containers, volumes } = podOfKubernetes();
  for (const { securityContext, volumeMounts } of containers) {
    assert.equal(securityContext.readOnlyRootFilesystem, true);
    const writable = volumeMounts.filter(({ readOnly }) => readOnly !== true);
    assert.deepEqual(writable, [{ name: "data", mountPath: "/data" }]);
  }
  assert.deepEqual(
    volumes.filter((volume) => "emptyDir" in volume),
    [],
  );

  const unit = readUnit();
  assert.deepEqual(unit.all("StateDirectory"), ["datarun"]);
  assert.deepEqual(
    unit.all("Environment").filter((pair) => pair.startsWith("DATARUN_DATA_DIR=")),
    ["DATARUN_DATA_DIR=%S/datarun"],
  );
  assert.deepEqual(unit.all("ReadWritePaths"), []);
  for (const [page, path] of [
    ["as-container", "`/data`"],
    ["with-compose", "`/data`"],
    ["on-kubernetes", "`/data`"],
    ["with-systemd", "`/var/lib/datarun`"],
    ["as-package", "`.datarun`"],
  ])
    assert.ok(read(`docs/guides/deploy-${page}.md`).includes(path!), `${page} says that ${path} has to be writable`);
});

test("the process manager that stops the service waits longer than the service itself does", () => {
  const { services } = parse(read("deploy/compose.yaml")) as Compose;
  assert.ok(Number.parseInt(services.datarun.stop_grace_period, 10) * 1000 > graceMs);
  assert.ok(podOfKubernetes().terminationGracePeriodSeconds * 1000 > graceMs);
  assert.ok(Number(readUnit().all("TimeoutStopSec")) * 1000 > graceMs);
  assert.deepEqual(readUnit().all("KillMode"), ["mixed"], "or it would end the processes of runs in progress");
});

test("nowhere can the service do what it does not need", () => {
  const image = readContainerfile();
  assert.ok(image.user > 0);
  const { services } = parse(read("deploy/compose.yaml")) as Compose;
  assert.deepEqual(services.datarun.cap_drop, ["ALL"]);
  for (const port of services.datarun.ports) assert.match(port, /^127\.0\.0\.1:/, "no TLS, so not for everybody");
  assert.ok(!services.datarun.ports.some((port) => port.includes("8081")), "metrics and probes ask nobody for a token");
  const { containers, ...pod } = podOfKubernetes();
  assert.equal(pod.enableServiceLinks, false);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.equal(pod.securityContext.runAsUser, image.user);
  assert.equal(pod.securityContext.fsGroup, image.user);
  assert.deepEqual(containers[0]!.securityContext.capabilities, { drop: ["ALL"] });
  for (const [probe, path] of [
    ["startupProbe", "/live"],
    ["livenessProbe", "/live"],
    ["readinessProbe", "/ready"],
  ] as const)
    assert.equal(containers[0]![probe].httpGet.path, path);
});

test("in a cluster only Prometheus reaches the admin port", () => {
  const { spec } = parse(read("deploy/kubernetes/network-policy.yaml")) as NetworkPolicy;
  const toAdmin = spec.ingress.filter(({ ports }) => ports === undefined || ports.some(({ port }) => port === "admin"));
  const prometheus = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
  assert.deepEqual(toAdmin, [{ from: [prometheus], ports: [{ port: "admin" }] }]);
});

test("a backup runs as the service does, on its data directory, and may do no more", async () => {
  const unit = readUnit("datarun-backup.service");
  const service = readUnit();
  for (const [directive, values] of service.directives()) {
    if (HOW_IT_RUNS.test(directive)) continue;
    if (directive === "StateDirectory") assert.deepEqual(unit.all(directive), ["datarun datarun-backups"]);
    else assert.deepEqual(unit.all(directive), values, directive);
  }
  assert.deepEqual(
    unit.all("User"),
    ["datarun"],
    "which is the name that systemd gives to the user of datarun.service",
  );

  const { job, claim } = backupOfKubernetes();
  const [backup] = job.containers;
  const [pod] = podOfKubernetes().containers;
  const { securityContext, ...hardened } = podOfKubernetes();
  assert.deepEqual(job.securityContext, securityContext);
  assert.equal(job.automountServiceAccountToken, hardened.automountServiceAccountToken);
  assert.equal(job.enableServiceLinks, hardened.enableServiceLinks);
  assert.deepEqual(backup!.securityContext, pod!.securityContext);
  assert.deepEqual(
    backup!.env,
    pod!.env.filter(({ name }) => name.endsWith("_FILE")),
  );
  const writable = backup!.volumeMounts.filter(({ readOnly }) => readOnly !== true);
  assert.deepEqual(
    writable.map(({ mountPath }) => mountPath),
    ["/data", "/backups"],
  );
  assert.deepEqual(
    job.volumes.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []),
    ["data-datarun-0", claim],
  );
  for (const args of [unit.all("ExecStart")[0]!.split(" ").slice(1), backup!.args]) {
    const { needs, input } = await findVerbs().load(args.slice(0, 2).join(" "));
    assert.ok(needs.includes("backUpStore"));
    assert.deepEqual(checkInput({ input }, { dir: args[2], keep: Number(args[4]) }), { dir: args[2], keep: 7 });
    assert.equal(args[3], "--keep");
  }
});

test("the Job that applies a state file runs as the service does, on a file and with options that are valid", () => {
  const [document] = parseAllDocuments(read("deploy/kubernetes/configuration/apply.yaml"));
  const pod = (document!.toJS() as { spec: { template: { spec: JobPod } } }).spec.template.spec;
  const { securityContext, automountServiceAccountToken, enableServiceLinks, containers } = podOfKubernetes();
  assert.deepEqual(pod.securityContext, securityContext);
  assert.equal(pod.automountServiceAccountToken, automountServiceAccountToken);
  assert.equal(pod.enableServiceLinks, enableServiceLinks);
  const [apply] = pod.containers;
  assert.deepEqual(apply!.securityContext, containers[0]!.securityContext);
  assert.deepEqual(
    apply!.env,
    containers[0]!.env.filter(({ name }) => name.endsWith("_FILE")),
  );
  const [name, ...args] = apply!.args;
  const { input } = parseCommand(args, shapeOf(applyCommand));
  assert.deepEqual([name, checkInput(applyCommand, input)], ["apply", { file: "/state/state.yaml" }]);
  assert.equal(parseStateFile(read("deploy/kubernetes/configuration/state.yaml")).file.version, 1);
});

test("the commands of the pipeline are valid", async () => {
  const { jobs } = parse(read("deploy/ci/github-actions.yaml")) as {
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run: text = "" }) => text.split("\n")));
  const commands = lines.flatMap((line) => /npx datarun ([^|]+)/.exec(line)?.[1] ?? []);
  const names = [];
  for (const command of commands) {
    const [name = "", ...args] = command
      .trim()
      .split(" ")
      .map((word) => word.replaceAll('"', ""));
    const words = args
      .join(" ")
      .replaceAll(/\$\{\{.*?\}\}/g, "https://admin.example")
      .split(" ");
    const form = name === "apply" ? applyCommand : name === "check" ? checkCommand : await findVerbs().load(name);
    checkInput(form, parseCommand(words, shapeOf(form)).input);
    names.push(name);
  }
  assert.deepEqual(names, ["check", "openapi", "apply", "apply"]);
});

test(
  "kustomize reads the manifests of the Job, whose pod is none of the Service",
  { skip: isMissing("kubectl") },
  () => {
    const { status, stdout, stderr } = run("kubectl", "kustomize", "deploy/kubernetes/configuration");
    assert.equal(status, 0, stderr);
    const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as { kind: string }).kind);
    assert.deepEqual(kinds.sort(), ["ConfigMap", "Job", "NetworkPolicy"]);
  },
);

test("no manifest holds a secret, or a variable that would hold one", () => {
  for (const path of MANIFESTS) {
    assert.doesNotMatch(read(path), /DATARUN_ROOT_KEY[=:]|DATABASE_URL[=:]|postgres(ql)?:\/\//, path);
  }
});

test("kustomize reads the manifests for Kubernetes", { skip: isMissing("kubectl") }, () => {
  const { status, stdout, stderr } = run("kubectl", "kustomize", "deploy/kubernetes");
  assert.equal(status, 0, stderr);
  const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as { kind: string }).kind);
  assert.deepEqual(kinds.sort(), [
    "ConfigMap",
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Service",
    "Service",
    "StatefulSet",
  ]);
});

test(
  "kustomize reads the manifests of the backup, whose pods are none of the Service",
  { skip: isMissing("kubectl") },
  () => {
    const { status, stdout, stderr } = run("kubectl", "kustomize", "deploy/kubernetes/backup");
    assert.equal(status, 0, stderr);
    const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as { kind: string }).kind);
    assert.deepEqual(kinds.sort(), ["CronJob", "NetworkPolicy", "PersistentVolumeClaim"]);
    assert.doesNotMatch(stdout, /app\.kubernetes\.io\/name: datarun$/m);
  },
);

test("kustomize also reads what is to be added by hand", { skip: isMissing("kubectl") }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-kustomize-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "deploy/kubernetes"), folder, { recursive: true });
  const all = read("deploy/kubernetes/kustomization.yaml").replaceAll(/^( *)# - (\S+\.yaml)$/gm, "$1- $2");
  writeFileSync(join(folder, "kustomization.yaml"), all);
  const { stdout, stderr } = run("kubectl", "kustomize", folder);
  const kinds = parseAllDocuments(stdout).map((document) => (document.toJS() as { kind: string }).kind);
  const added = kinds.filter((kind) => kind === "Ingress" || kind === "ServiceMonitor").sort();
  assert.deepEqual(added, ["Ingress", "ServiceMonitor"], stderr);
  const listed = (parse(all) as { resources: string[] }).resources;
  const files = globSync("*.yaml", { cwd: folder }).filter((file) => file !== "kustomization.yaml");
  assert.deepEqual(listed.toSorted(), files.toSorted());
});

test("the autoscaler alone decides how many pods there are, at least two, with connections that PostgreSQL allows", () => {
  const { spec } = parse(read("deploy/kubernetes/autoscaler.yaml")) as { spec: Record<string, unknown> };
  const { kind, metadata, spec: set } = parse(read("deploy/kubernetes/stateful-set.yaml")) as StatefulSet;
  assert.deepEqual(spec["scaleTargetRef"], { apiVersion: "apps/v1", kind, name: metadata.name });
  assert.equal(set.replicas, undefined);
  assert.ok((spec["minReplicas"] as number) >= 2);
  assert.ok((spec["maxReplicas"] as number) * 14 < 100);
  assert.deepEqual(set.persistentVolumeClaimRetentionPolicy, { whenScaled: "Retain", whenDeleted: "Retain" });
});

test("Prometheus finds the metrics at one Service, by the name of its port", () => {
  const { spec } = parse(read("deploy/kubernetes/service-monitor.yaml")) as ServiceMonitor;
  const services = parseAllDocuments(read("deploy/kubernetes/services.yaml")).map((it) => it.toJS() as Service);
  const [endpoint] = spec.endpoints;
  const found = services.filter(({ spec }) => spec.ports.some(({ name }) => name === endpoint!.port));
  assert.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ["datarun-pods"],
  );
});

test("the Ingress passes on what the service takes, and waits as long as a run may take", () => {
  const { metadata, spec } = parse(read("deploy/kubernetes/ingress.yaml")) as Ingress;
  const bodyBytes = settings.find(({ key }) => key === "limits.body_bytes")!.default as number;
  assert.equal(metadata.annotations["nginx.org/client-max-body-size"], `${bodyBytes / 1024 ** 2}m`);
  assert.ok(Number.parseInt(metadata.annotations["nginx.org/proxy-read-timeout"]!, 10) * 1_000 > CALL_MS_MAX);
  assert.ok(Object.keys(metadata.annotations).every((name) => name.startsWith("nginx.org/")));
  const paths = spec.rules.flatMap(({ http }) => http.paths);
  assert.deepEqual(
    paths.map(({ path, pathType }) => `${pathType} ${path}`),
    ROUTES.map(({ path }) => `Exact ${path}`),
  );
});

test("the example of nginx passes on what the service takes, and waits as long as a run may take", () => {
  const conf = read("deploy/nginx.conf");
  const value = (directive: string) => new RegExp(`^ *${directive} +(.+);$`, "m").exec(conf)![1]!;
  const inSeconds = (directive: string) => Number.parseInt(value(directive), 10);
  const byDefault = (key: string) => settings.find((setting) => setting.key === key)!.default as number;
  assert.equal(value("client_max_body_size"), `${byDefault("limits.body_bytes") / 1024 ** 2}m`);
  assert.equal(value("large_client_header_buffers"), `4 ${HEADER_BYTES_MAX / 1024}k`);
  assert.ok(inSeconds("proxy_read_timeout") * 1_000 > CALL_MS_MAX);
  assert.ok(inSeconds("keepalive_timeout") * 1_000 < byDefault("limits.keep_alive_ms"));
  assert.deepEqual(
    [...conf.matchAll(/location = (\S+)/g)].map(([, path]) => path),
    ROUTES.map(({ path }) => path),
  );
});

test("nginx reads the example", { skip: run("nginx", "-v").status !== 0 && "nginx is not installed" }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-nginx-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // Without the certificate, which nobody has here.
  const conf = read("deploy/nginx.conf")
    .replace("listen 443 ssl", "listen 127.0.0.1:8443")
    .replace(/^ *ssl_.*\n/gm, "");
  const file = join(folder, "nginx.conf");
  writeFileSync(file, `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${conf}}\n`);
  const { status, stderr } = run("nginx", "-t", "-p", folder, "-c", file);
  assert.equal(status, 0, stderr);
});

test("Docker reads the Compose file", { skip: isMissing("docker", "compose") }, () => {
  const { status, stderr } = run(
    "docker",
    "compose",
    "-f",
    "deploy/compose.yaml",
    "--profile",
    "metrics",
    "config",
    "--quiet",
  );
  assert.equal(status, 0, stderr);
});

test("Prometheus reads its configuration", { skip: isMissing("promtool") }, () => {
  const { status, stderr } = run("promtool", "check", "config", "deploy/prometheus/prometheus.yaml");
  assert.equal(status, 0, stderr);
});

test("systemd reads the units of the backup", { skip: isMissing("systemd-analyze") }, () => {
  const { stderr } = run("systemd-analyze", "verify", "deploy/datarun-backup.service", "deploy/datarun-backup.timer");
  assert.match(stderr, /^(datarun-backup\.service: Command \S+ is not executable: No such file or directory\s*)?$/);
});

test("systemd reads the unit, and rates what it leaves open below 2", { skip: isMissing("systemd-analyze") }, () => {
  const verified = run("systemd-analyze", "verify", "deploy/datarun.service");
  // Nothing is installed here, and that is the only complaint.
  assert.match(verified.stderr, /^(datarun\.service: Command \S+ is not executable: No such file or directory\s*)?$/);
  const rated = run("systemd-analyze", "security", "--offline=true", "--no-pager", "deploy/datarun.service");
  const [, exposure] = /exposure level for datarun\.service: ([\d.]+)/.exec(rated.stdout) ?? [];
  assert.ok(Number(exposure) < 2, rated.stdout + rated.stderr);
});

test("what the manifests mount from here is here", () => {
  const { services } = parse(read("deploy/compose.yaml")) as Compose;
  const mounted = Object.values(services).flatMap(({ volumes }) => volumes.filter((volume) => volume.startsWith("./")));
  assert.ok(mounted.length >= 4);
  for (const volume of mounted) assert.ok(existsSync(join(ROOT, "deploy", volume.split(":")[0]!)), volume);
});

function run(program: string, ...args: string[]) {
  return spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });
}

/** Whether a program, or one of its subcommands, is not installed here. */
function isMissing(program: string, subcommand?: string): string | false {
  const { status } = run(program, ...(subcommand === undefined ? ["--help"] : [subcommand, "version"]));
  return status === 0 ? false : `${[program, subcommand].filter(Boolean).join(" ")} is not installed`;
}

/** What a service has that runs until it is stopped, and what only it needs. */
const HOW_IT_RUNS = /^(Description|After|Wants|WantedBy|Type|ExecStart|KillMode|Timeout|Restart|OOMPolicy|Limit)/;

function readUnit(name = "datarun.service") {
  const text = read(`deploy/${name}`);
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, directive, value]) => ({
    directive: directive!,
    value: value!,
  }));
  const directives = () => Map.groupBy(lines, ({ directive }) => directive);
  return {
    all: (directive: string) => lines.filter((line) => line.directive === directive).map(({ value }) => value),
    directives: () => new Map([...directives()].map(([directive, of]) => [directive, of.map(({ value }) => value)])),
  };
}

function backupOfKubernetes(): { readonly job: JobPod; readonly claim: string } {
  const [claim, cronJob] = parseAllDocuments(read("deploy/kubernetes/backup/backup.yaml")).map(
    (document) =>
      document.toJS() as {
        metadata: { name: string };
        spec: { jobTemplate: { spec: { template: { spec: JobPod } } } };
      },
  );
  return { job: cronJob!.spec.jobTemplate.spec.template.spec, claim: claim!.metadata.name };
}

function podOfKubernetes(): Pod {
  return (parse(read("deploy/kubernetes/stateful-set.yaml")) as { spec: { template: { spec: Pod } } }).spec.template
    .spec;
}

interface Kustomization {
  readonly configMapGenerator: readonly { readonly literals: readonly string[] }[];
}

interface NetworkPolicy {
  readonly spec: {
    readonly ingress: readonly { readonly from: unknown; readonly ports?: readonly { readonly port: string }[] }[];
  };
}

interface StatefulSet {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas?: number; readonly persistentVolumeClaimRetentionPolicy: object };
}

interface ServiceMonitor {
  readonly spec: { readonly endpoints: readonly { readonly port: string }[] };
}

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly ports: readonly { readonly name: string }[] };
}

interface Ingress {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly rules: readonly { readonly http: { readonly paths: readonly { path: string; pathType: string }[] } }[];
  };
}

interface Compose {
  readonly services: Readonly<Record<"datarun" | "postgres", ComposeService>>;
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: unknown;
  readonly cap_drop: readonly string[];
  readonly stop_grace_period: string;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface JobPod {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly volumes: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly env: readonly object[];
    readonly securityContext: object;
    readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: true }[];
  }[];
}

interface Pod {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number; readonly fsGroup: number };
  readonly volumes: readonly object[];
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly startupProbe: Probe;
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly capabilities: object };
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: true }[];
  }[];
}
