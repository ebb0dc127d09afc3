import { readdirSync } from "node:fs";

const NAME = /^intents-(\d{8,})\.log$/;

export function intentFileName(number: number): string {
  return `intents-${String(number).padStart(8, "0")}.log`;
}

/** The intent files of a directory, oldest first. */
export function listIntentFiles(directory: string): { readonly name: string; readonly number: number }[] {
  const files = [];
  for (const name of readdirSync(directory)) {
    const match = NAME.exec(name);
    if (match !== null) files.push({ name, number: Number(match[1]) });
  }
  return files.sort((a, b) => a.number - b.number);
}
