import type { Metric, Registry } from "prom-client";
import type { Stretch } from "../terms/stretch.ts";

const LINES_AT_ONCE = 1_000;

/** As the library's own `metrics` writes them, but runs have turns meanwhile: thousands of sources have a long page. */
export async function writeMetrics(registry: Registry, stretch: Stretch): Promise<string> {
  const { getMetricsAsString: write } = registry as unknown as Writing;
  const texts: string[] = [];
  for (const metric of registry.getMetricsAsArray() as unknown as readonly Readable[]) {
    const { values = [], ...about } = await (metric.getForPromString?.() ?? metric.get());
    const parts: string[] = [];
    for (let at = 0; at === 0 || at < values.length; at += LINES_AT_ONCE) {
      if (stretch.isLong) await stretch.end();
      const part = { get: async () => ({ ...about, values: values.slice(at, at + LINES_AT_ONCE) }) };
      const text = await write.call(registry, part);
      // Each begins with two lines about the metric.
      parts.push(at === 0 ? text : text.slice(text.indexOf("\n", text.indexOf("\n") + 1) + 1));
    }
    texts.push(parts.join("\n"));
  }
  return `${texts.join("\n\n")}\n`;
}

/** What the library has, and its types do not. */
interface Readable {
  get(): Promise<{ readonly values?: readonly unknown[] }>;
  getForPromString?(): Promise<{ readonly values?: readonly unknown[] }>;
}
interface Writing {
  getMetricsAsString(this: Registry, metric: Readable | Metric): Promise<string>;
}
