import { dirname } from "node:path";

const FILES_SHOWN = 40;

/** What the folders and the dearest files took: seconds on the clock, and of the processors. */
export function costsOf(costs) {
  const folders = Map.groupBy(costs, ({ file, note }) => `${dirname(file)}${note}`);
  const sums = [...folders].map(([name, all]) => sumOf(`${name} (${all.length})`, all));
  const dearest = costs.map(({ file, note, cpu, seconds }) => ({ name: `${file}${note}`, cpu, seconds }));
  const all = sumOf(`all (${costs.length})`, costs);
  return `${table([all, ...byCpu(sums)])}\n${table(byCpu(dearest).slice(0, FILES_SHOWN))}`;
}

function sumOf(name, costs) {
  const sum = (key) => costs.reduce((total, cost) => total + cost[key], 0);
  return { name, cpu: sum("cpu"), seconds: sum("seconds") };
}

function byCpu(rows) {
  return rows.toSorted((a, b) => b.cpu - a.cpu);
}

function table(rows) {
  const number = (value) => value.toFixed(1).padStart(9);
  const lines = rows.map(({ name, cpu, seconds }) => `${number(cpu)}${number(seconds)}  ${name}`);
  return `${["cpu", "clock"].map((head) => head.padStart(9)).join("")}  seconds\n${lines.join("\n")}\n`;
}
