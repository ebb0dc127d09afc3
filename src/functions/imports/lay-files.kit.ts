import { execFileSync } from "node:child_process";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * What tests create in a folder: a text file; a link, relative to that folder; a hard link; a pipe without a writer; a
 * folder; a JSON file of a given number of bytes.
 */
export type Laid =
  | string
  | { readonly link: string }
  | { readonly sameAs: string }
  | { readonly a: "pipe" | "folder" }
  | { readonly mebibytes: number };

export async function layFiles(folder: string, files: Readonly<Record<string, Laid>>): Promise<void> {
  // A hard link needs an existing file.
  const ordered = Object.entries(files).sort(([, a], [, b]) => Number(isSecondName(a)) - Number(isSecondName(b)));
  for (const [path, laid] of ordered) await lay(folder, join(folder, path), laid);
}

function isSecondName(laid: Laid): boolean {
  return typeof laid === "object" && "sameAs" in laid;
}

async function lay(folder: string, path: string, laid: Laid): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof laid === "string") await writeFile(path, laid);
  else if ("a" in laid) await (laid.a === "folder" ? mkdir(path) : execFileSync("mkfifo", [path]));
  else if ("link" in laid) await symlink(laid.link.startsWith("/") ? laid.link : join(folder, laid.link), path);
  else if ("sameAs" in laid) await link(join(folder, laid.sameAs), path);
  else await writeFile(path, `"${"x".repeat(laid.mebibytes * 1_048_576 - 2)}"`);
}
