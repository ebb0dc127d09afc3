import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { configFileOf, readSettingsOf } from "../../../project/config-file.ts";
import type { Settings } from "../../../settings/settings.ts";
import { LoadError } from "../../../terms/load-error.ts";
import { reasonOf } from "../reason-of.ts";
import type { SettingOptions } from "../setting-options.ts";
import { type CheckReport, lineOf } from "./findings.ts";

/** Reads the settings as a start does; `null` if they cannot be used. */
export async function checkSettings(
  project: string | undefined,
  given: SettingOptions,
  environment: Readonly<Record<string, string | undefined>>,
  report: CheckReport,
): Promise<Settings | null> {
  try {
    const settings = await readSettingsOf(project, given, environment);
    for (const { setting, instead } of settings.renamed)
      report.add("settings.renamed", `${setting} is named ${instead} now`, placeIn(project, setting));
    for (const { variable, reason } of settings.otel.ignored) report.add("otel.ignored", `${variable}: ${reason}`);
    return settings;
  } catch (error) {
    report.add("settings.invalid", reasonOf(error), locationOf(error, project));
    return null;
  }
}

function locationOf(error: unknown, project: string | undefined): { file?: string; line?: number | null } {
  if (error instanceof LoadError) return { file: error.file, line: lineOf(error.reason) };
  return placeIn(project, (error as Error).message);
}

/** The location of the config file's key with which the text begins. */
function placeIn(project: string | undefined, text: string): { file?: string; line?: number | null } {
  const file = project === undefined ? undefined : configFileOf(project);
  const key = /^(\S+) in the config file\b/.exec(text)?.[1];
  return file === undefined || key === undefined ? {} : { file, line: lineWith(file, key.split(".").at(-1)!) };
}

/** The first line that names a key. */
function lineWith(file: string, key: string): number | null {
  const at = readFileSync(file, "utf8")
    .split("\n")
    .findIndex((line) => line.split(/[^\w$]+/).includes(key));
  return at === -1 ? null : at + 1;
}

/** Checks that this machine has the addresses that a start would listen on, without listening. */
export async function checkHosts({ host, port, adminHost, adminPort }: Settings, report: CheckReport): Promise<void> {
  const interfaces = Object.values(networkInterfaces());
  const own = new Set(interfaces.flatMap((each) => (each ?? []).map(({ address }) => address)));
  const places = new Map([
    [adminHost, adminPort],
    [host, port],
  ]);
  for (const [name, at] of places) {
    try {
      const { address } = await lookup(name);
      if (isForAll(address) || own.has(address)) continue;
      const place = at === 0 ? address : `${address}:${at}`;
      report.add("host.not_here", `listen EADDRNOTAVAIL: address not available ${place}`);
    } catch (error) {
      report.add("host.not_here", reasonOf(error));
    }
  }
}

function isForAll(address: string): boolean {
  return address === "0.0.0.0" || address === "::" || (isIPv4(address) && address.startsWith("127."));
}
