import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RESERVE_FILE } from "../../src/ledger/journal/reserve-file.ts";

/** Texts that may be nowhere but in the echo of what the caller itself sent. */
export class Secrets {
  readonly #needles = new Map<string, readonly Buffer[]>();

  /** Remembers a secret and gives it back. Short ones would be found everywhere. */
  add<Text extends string>(secret: Text): Text {
    if (secret.length >= 8)
      this.#needles.set(
        secret,
        encodingsOf(secret).map((text) => Buffer.from(text)),
      );
    return secret;
  }

  /** Every text within a JSON value. */
  addAll(value: unknown): void {
    if (typeof value === "string") this.add(value);
    else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) this.addAll(part);
  }

  assertAbsent(where: string, content: string | Buffer, but: readonly string[] = []): void {
    const bytes = Buffer.from(content as string);
    for (const [secret, needles] of this.#needles) {
      if (but.includes(secret)) continue;
      for (const needle of needles)
        assert.ok(!bytes.includes(needle), `a secret is in ${where}, as ${needle.toString()}`);
    }
  }

  assertAbsentFromFolder(folder: string): void {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      // The journal's reserve of disk space is 4 MiB of random bytes.
      if (!entry.isFile() || entry.name === RESERVE_FILE) continue;
      const file = join(entry.parentPath, entry.name);
      this.assertAbsent(file, readFileSync(file));
    }
  }
}

/** Plain, as JSON, percent-encoded, hex, and base64 from each of the three places it may begin at. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    // The ends depend on what is beside it.
    const inner = text.slice(shift === 0 ? 0 : 4, text.length - 4);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const encodings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    hex,
    hex.toUpperCase(),
    ...base64,
  ];
  return [...new Set(encodings)].filter((text) => text.length >= 8);
}
