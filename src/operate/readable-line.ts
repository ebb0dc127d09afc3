import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { printable } from "../terms/text/printable.ts";

/** Fields without news for a developer. */
const LEFT_OUT = new Set(["level", "time", "event", "message", "region", "organization", "workflow", "token_id"]);
const LEVELS: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "WARN", 50: "ERROR" };

/** Formats a log line for people: a run and its calls as a small table, other lines as message and fields. */
export function readableLine(line: string): string {
  const entry = JSON.parse(line) as JsonObject;
  const head = `${clockTime(entry["time"])} ${(LEVELS[Number(entry["level"])] ?? "").padEnd(5)} `;
  if (entry["event"] === "run") return `${head}${runLines(entry).join("\n")}\n`;
  const words = [entry["event"], entry["message"]]
    .filter((word) => typeof word === "string")
    .map(short)
    .join(": ");
  const fields = Object.entries(entry).filter(([name]) => !LEFT_OUT.has(name));
  return `${head}${[words, ...fields.map(([name, value]) => `${short(name)}=${short(value)}`)].join("  ")}\n`;
}

function runLines(entry: JsonObject): string[] {
  const what = entry["function"] ?? entry["kind"];
  const fault = entry["function_fault"] === undefined ? "" : `  ${short(entry["function_fault"])}`;
  const calls = (Array.isArray(entry["calls"]) ? entry["calls"] : []).filter(isJsonObject);
  return [
    `run    ${short(what)}  ${short(entry["took_ms"])} ms${fault}  ${short(entry["transaction_id"])}`,
    ...calls.map((call) => `               ${callLine(call)}`),
    ...(entry["calls_not_shown"] === undefined ? [] : [`               and ${short(entry["calls_not_shown"])} more`]),
  ];
}

function callLine(call: JsonObject): string {
  const outcome = call["success"] !== true ? "FAILED" : call["match"] === true ? "record" : "none";
  const why = call["fault"] === undefined ? [] : [call["fault"], call["detail"], call["cause"]];
  return [outcome.padEnd(6), call["source"], `${short(call["took_ms"])} ms`, ...why]
    .filter((part) => part !== undefined && !isEmpty(part))
    .map(short)
    .join("  ");
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The value may be a caller's identifier or an adapter's text. */
function short(value: Json | undefined): string {
  return printable(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

function clockTime(time: Json | undefined): string {
  const at = new Date(typeof time === "string" ? time : NaN);
  return Number.isNaN(at.getTime()) ? "        " : at.toTimeString().slice(0, 8);
}
