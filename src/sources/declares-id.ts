import { readFileSync } from "node:fs";

/** Whether a file that cannot be loaded was meant to be the source of this id, by its text or by its path. */
export function declaresId(file: string, id: string): boolean {
  if (file.replace(/\.\w+$/, "").endsWith(`/sources/${id.replace("__", "/")}`)) return true;
  try {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(ID_LINE)].some(([, declared]) => declared === id);
  } catch {
    return false;
  }
}

const ID_LINE = /^\s*["']?id["']?\s*:\s*["']?([a-z0-9_]+)["']?\s*,?\s*$/gm;
