import { readdirSync, readFileSync } from "node:fs";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { counter, gauge, type OpenMetric, type Sample } from "./metric.ts";

/**
 * The metrics of the process and of Node. Names and help texts are those of Prometheus' clients, so that public
 * dashboards and rules work.
 */
export interface ProcessMetrics extends Disposable {
  readonly metrics: readonly OpenMetric[];
}

const GC_BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/**
 * Observes garbage collections and event loop delays from now on. Each reader of metrics needs its own instance,
 * because reading the delays resets them.
 */
export function openProcessMetrics(): ProcessMetrics {
  const gc = watchGarbageCollections();
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return {
    metrics: [
      ...PROCESS,
      ...(process.platform === "linux" ? LINUX : []),
      ...metricsOfDelays(delays),
      ...NODE,
      gc.metric,
    ],
    [Symbol.dispose]() {
      delays.disable();
      gc.end();
    },
  };
}

const PROCESS: readonly OpenMetric[] = [
  counter("process_cpu_user_seconds_total", "Total user CPU time spent in seconds.", () => cpuSeconds("user")),
  counter("process_cpu_system_seconds_total", "Total system CPU time spent in seconds.", () => cpuSeconds("system")),
  counter(
    "process_cpu_seconds_total",
    "Total user and system CPU time spent in seconds.",
    () => cpuSeconds("user") + cpuSeconds("system"),
  ),
  gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", () =>
    Math.round(performance.timeOrigin / 1000),
  ),
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", () => process.memoryUsage.rss()),
];

const LINUX: readonly OpenMetric[] = [
  gauge(
    "process_virtual_memory_bytes",
    "Virtual memory size in bytes.",
    () => 1024 * inProc("status", /^VmSize:\s+(\d+)/m),
  ),
  gauge("process_heap_bytes", "Process heap size in bytes.", () => 1024 * inProc("status", /^VmData:\s+(\d+)/m)),
  // One descriptor is that of reading the directory.
  gauge("process_open_fds", "Number of open file descriptors.", () => readdirSync("/proc/self/fd").length - 1),
  gauge("process_max_fds", "Maximum number of open file descriptors.", () =>
    inProc("limits", /^Max open files\s+(\d+)/m),
  ),
];

const NODE: readonly OpenMetric[] = [
  labelled(
    "nodejs_active_resources",
    "Number of active resources that are currently keeping the event loop alive, grouped by async resource type.",
    ["type"],
    () =>
      Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (type) => type)).map(([type, all]) => [
        [type],
        all!.length,
      ]),
  ),
  gauge(
    "nodejs_active_resources_total",
    "Total number of active resources.",
    () => process.getActiveResourcesInfo().length,
  ),
  memory("nodejs_heap_size_total_bytes", "Process heap size from Node.js in bytes.", "heapTotal"),
  memory("nodejs_heap_size_used_bytes", "Process heap size used from Node.js in bytes.", "heapUsed"),
  memory("nodejs_external_memory_bytes", "Node.js external memory size in bytes.", "external"),
  heapSpaces("total", "space_size"),
  heapSpaces("used", "space_used_size"),
  heapSpaces("available", "space_available_size"),
  labelled("nodejs_version_info", "Node.js version info.", ["version", "major", "minor", "patch"], () => [
    [[process.version, ...process.versions.node.split(".")], 1],
  ]),
];

type Delays = ReturnType<typeof monitorEventLoopDelay>;

const LAGS: Readonly<Record<string, readonly [help: string, of: (delays: Delays) => number]>> = {
  min: ["The minimum recorded event loop delay.", ({ min }) => min],
  max: ["The maximum recorded event loop delay.", ({ max }) => max],
  mean: ["The mean of the recorded event loop delays.", ({ mean }) => mean],
  stddev: ["The standard deviation of the recorded event loop delays.", ({ stddev }) => stddev],
  p50: ["The 50th percentile of the recorded event loop delays.", (delays) => delays.percentile(50)],
  p90: ["The 90th percentile of the recorded event loop delays.", (delays) => delays.percentile(90)],
  p99: ["The 99th percentile of the recorded event loop delays.", (delays) => delays.percentile(99)],
};

/** The first metric reads the delays and resets them; the others show the same reading. */
function metricsOfDelays(delays: Delays): readonly OpenMetric[] {
  let lag = 0;
  let latest: Readonly<Record<string, number>> = {};
  const read = () => {
    const startedAt = performance.now();
    // Shown by the next reading.
    setImmediate(() => (lag = (performance.now() - startedAt) / 1000));
    // Without delays, the minimum would be the largest number, and the mean NaN.
    const isEmpty = delays.count === 0;
    latest = Object.fromEntries(Object.entries(LAGS).map(([key, [, of]]) => [key, isEmpty ? 0 : of(delays) / 1e9]));
    delays.reset();
    return lag;
  };
  return [
    gauge("nodejs_eventloop_lag_seconds", "Lag of event loop in seconds.", read),
    ...Object.entries(LAGS).map(([key, [help]]) =>
      gauge(`nodejs_eventloop_lag_${key}_seconds`, help, () => latest[key] ?? 0),
    ),
  ];
}

function watchGarbageCollections(): { readonly metric: OpenMetric; readonly end: () => void } {
  const kinds = new Map<string, { readonly buckets: number[]; sum: number }>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { readonly detail: { readonly kind: number } };
      const kind = GC_KINDS.get(detail.kind) ?? "other";
      const own = kinds.get(kind) ?? { buckets: [...GC_BOUNDS, Infinity].map(() => 0), sum: 0 };
      const seconds = entry.duration / 1000;
      const at = GC_BOUNDS.findIndex((bound) => seconds <= bound);
      own.buckets[at === -1 ? GC_BOUNDS.length : at]! += 1;
      own.sum += seconds;
      kinds.set(kind, own);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const metric: OpenMetric = {
    name: "nodejs_gc_duration_seconds",
    type: "histogram",
    help: "Garbage collection duration by kind, one of major, minor, incremental or weakcb.",
    labels: ["kind"],
    read: () => [...kinds].map(([kind, own]) => [[kind], { bounds: GC_BOUNDS, ...own }]),
  };
  return { metric, end: () => observer.disconnect() };
}

function cpuSeconds(of: "user" | "system"): number {
  return process.cpuUsage()[of] / 1e6;
}

/** A number from a file under `/proc/self`; `Infinity` without a limit. */
function inProc(file: "status" | "limits", pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(`/proc/self/${file}`, "utf8"))?.[1] ?? Infinity);
}

function memory(name: string, help: string, of: "heapTotal" | "heapUsed" | "external"): OpenMetric {
  return gauge(name, help, () => process.memoryUsage()[of]);
}

function heapSpaces(which: string, of: "space_size" | "space_used_size" | "space_available_size"): OpenMetric {
  const help = `Process heap space size ${which} from Node.js in bytes.`;
  return labelled(`nodejs_heap_space_size_${which}_bytes`, help, ["space"], () =>
    getHeapSpaceStatistics().map((space) => [[space.space_name.replace(/_space$/, "")], space[of]]),
  );
}

function labelled(name: string, help: string, labels: readonly string[], read: () => readonly Sample[]): OpenMetric {
  return { name, type: "gauge", help, labels, read };
}
