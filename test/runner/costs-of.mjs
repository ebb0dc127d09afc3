import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";

const FILES_SHOWN = 40;

/** What the folders and the dearest files took: seconds on the clock, and of the processors. */
export function costsOf(costsFile, root) {
  const costs = readFileSync(costsFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map((cost) => ({ ...cost, file: relative(root, cost.file), cpu: cost.own + cost.children }));
  const folders = Map.groupBy(costs, ({ file, store }) => `${dirname(file)} on ${store}`);
  const sums = [...folders].map(([name, all]) => ({
    name: `${name} (${all.length})`,
    cpu: sum(all, "cpu"),
    children: sum(all, "children"),
    took: sum(all, "took"),
  }));
  const dearest = costs.map(({ file, store, ...cost }) => ({ name: `${file} on ${store}`, ...cost }));
  const all = {
    name: `all (${costs.length})`,
    cpu: sum(costs, "cpu"),
    children: sum(costs, "children"),
    took: sum(costs, "took"),
  };
  return `${table([all, ...byCpu(sums)])}\n${table(byCpu(dearest).slice(0, FILES_SHOWN))}`;
}

function byCpu(rows) {
  return rows.toSorted((a, b) => b.cpu - a.cpu);
}

function sum(rows, key) {
  return rows.reduce((total, row) => total + row[key], 0);
}

function table(rows) {
  const number = (value) => value.toFixed(1).padStart(9);
  const lines = rows.map(
    ({ name, cpu, children, took }) => `${number(cpu)}${number(children)}${number(took)}  ${name}`,
  );
  return `${["cpu", "children", "took"].map((head) => head.padStart(9)).join("")}  seconds\n${lines.join("\n")}\n`;
}
