const FIXED = "the limit is fixed, and docs/reference/limits.md lists it";

/** Settings of earlier versions, and what to do in a deployment that still has one. */
export const REMOVED: ReadonlyMap<string, string> = new Map([
  ["limits.json_depth", FIXED],
  ["limits.keys_per_object", FIXED],
  ["limits.header_bytes", FIXED],
  ["limits.headers", FIXED],
  ["limits.headers_timeout_ms", "it is a third of limits.expert.request_timeout_ms"],
  ["limits.vendor_dns_ms", "looking up a name is a part of limits.expert.vendor_connect_ms"],
  ["limits.reply_bytes", "limits.expert.reply_decoded_bytes limits a reply as it is sent, too"],
  [
    "limits.function_processes_apart",
    "each organization's functions run in a process of their own; limits.expert.function_processes is the number of these",
  ],
  [
    "limits.function_runs_per_process",
    "it follows from the memory of a process; limits.expert.function_processes is the number of these",
  ],
]);

export function noLonger(name: string, instead: string): string {
  return `${name} is no longer a setting, remove it: ${instead}`;
}
