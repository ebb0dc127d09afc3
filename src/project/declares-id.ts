import { readFileSync } from "node:fs";
import { PREFIX } from "../terms/ids.ts";

/** Whether a file that cannot be loaded declares the source or function of this id, by its text or path. */
export function declaresId(file: string, id: string): boolean {
  const path = id.startsWith(PREFIX.dataFunction)
    ? `/functions/${id.slice(PREFIX.dataFunction.length)}`
    : `/sources/${id.replace("__", "/")}`;
  if (file.replace(/\.\w+$/, "").endsWith(path)) return true;
  try {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(ID_LINE)].some(([, declared]) => declared === id);
  } catch {
    return false;
  }
}

const ID_LINE = /^\s*["']?id["']?\s*:\s*["']?([a-z0-9_]+)["']?\s*,?\s*$/gm;
