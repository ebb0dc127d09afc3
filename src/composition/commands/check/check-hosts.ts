import { lookup } from "node:dns/promises";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Settings } from "../../../settings/settings.ts";
import { reasonOf } from "../reason-of.ts";
import type { CheckReport } from "./findings.ts";

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
