import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { test, type TestContext } from "node:test";
import { cannotWrite } from "../../terms/platform/file-problem.ts";
import { type Pieces, writeText } from "./write-text.ts";

/** A text in three pieces, and whether its generator was ended. */
function makeText() {
  const made = { ended: false };
  async function* pieces(): Pieces {
    try {
      yield "a";
      yield "b";
      return { runs: 2 };
    } finally {
      made.ended = true;
    }
  }
  return { made, pieces: pieces() };
}

function newPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-text-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "text.csv");
}

const IO = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env: {} };

test("a file that exists already is kept, and the producer of the text is stopped", async (t) => {
  const path = newPath(t);
  writeFileSync(path, "kept");
  const { made, pieces } = makeText();
  await assert.rejects(writeText(pieces, path, IO), /The file \S+ cannot be created: it exists already\./);
  assert.equal(made.ended, true);
  assert.equal(readFileSync(path, "utf8"), "kept");
});

test("bytes go to a file or a program, and not to a terminal", async (t) => {
  async function* bytes(): Pieces {
    yield new Uint8Array([0x50, 0xff]);
    return {};
  }
  const path = newPath(t);
  assert.deepEqual(await writeText(bytes(), path, IO), { file: path, bytes: 2 });
  assert.deepEqual(readFileSync(path), Buffer.from([0x50, 0xff]));
  const program = new PassThrough();
  await writeText(bytes(), undefined, { ...IO, stdout: program });
  assert.deepEqual(program.read(), Buffer.from([0x50, 0xff]));
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  await assert.rejects(writeText(bytes(), undefined, { ...IO, stdout: terminal }), { code: "usage" });
  assert.equal(terminal.read(), null);
});

test("why a file cannot be written is said in words", async (t) => {
  const file = newPath(t);
  writeFileSync(file, "kept");
  for (const [path, says] of [
    [join(dirname(file), "none/text.csv"), "cannot be created: its folder does not exist."],
    [join(file, "text.csv"), "cannot be created: a part of its path is not a folder."],
    [join(dirname(file), "a".repeat(300)), "cannot be created: its name is too long."],
    [dirname(file), "cannot be created: it exists already."],
  ] as const)
    await assert.rejects(writeText(makeText().pieces, path, IO), {
      code: "refused",
      message: `The file ${path} ${says}`,
    });
  for (const [code, says] of [
    ["EACCES", /: permission denied\.$/],
    ["EROFS", /: the disk can only be read\.$/],
    ["ENOSPC", /: the disk is full\.$/],
    ["ESTALE", /: ESTALE\.$/],
  ] as const)
    assert.match(cannotWrite("created", Object.assign(new Error(), { code }), "text.csv").message, says);
});

test("a text is written whole, and its result says where", async (t) => {
  const path = newPath(t);
  const { made, pieces } = makeText();
  assert.deepEqual(await writeText(pieces, path, IO), { file: path, bytes: 2, runs: 2 });
  assert.equal(readFileSync(path, "utf8"), "ab");
  assert.equal(made.ended, true);
});

test("a terminal is shown a text without what would control it; a program gets the text itself", async () => {
  const hostile = 'a,"\u009b2J\u001b[2J"\r\n';
  async function* pieces(): Pieces {
    yield hostile;
    return {};
  }
  for (const [isTTY, shown] of [
    [true, 'a,""\n'],
    [false, hostile],
  ] as const) {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    await writeText(pieces(), undefined, { ...IO, stdout });
    assert.equal(String(stdout.read()), shown);
  }
});
