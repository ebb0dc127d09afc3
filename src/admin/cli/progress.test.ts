import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { openProgress } from "./progress.ts";

class Screen extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number;
  /** A terminal without colours. */
  readonly getColorDepth = () => 1;
  constructor(isTTY: boolean, columns: number) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function opened(isTTY: boolean, quiet = false, columns = 40) {
  const screen = new Screen(isTTY, columns);
  const clock = new FakeClock();
  return { screen, clock, progress: openProgress({ stderr: screen }, clock, quiet) };
}

/** Does a hundred units of work a second and reports them every 10 ms. */
async function work({ clock, progress }: ReturnType<typeof opened>, forMs: number, of?: number): Promise<void> {
  for (let done = 0; done * 10 <= forMs; done += 1) {
    progress.onProgress("runs checked", done, of);
    await clock.advance(10);
  }
}

const ERASE = "\r\u001b[K";

test("work of less than a second shows nothing", async () => {
  for (const isTTY of [true, false]) {
    const shown = opened(isTTY);
    await work(shown, 980, 500);
    shown.progress.end();
    assert.equal(shown.screen.text, "");
  }
});

test("a terminal has one line that is drawn ten times a second, and is empty at the end", async () => {
  const shown = opened(true);
  await work(shown, 2_000, 2_000);
  const lines = shown.screen.text.split(ERASE);
  assert.equal(lines.length - 1, 11);
  assert.equal(lines[1], "100 of 2,000 runs checked, 100 a second");
  assert.ok(lines.every((line) => line.length < shown.screen.columns && !line.includes("\n")));
  shown.progress.end();
  assert.ok(shown.screen.text.endsWith(ERASE));
});

test("a line is cut where a terminal would break it, and only there", async () => {
  for (const [columns, shows] of [
    [20, "100 of 2,000 runs c"],
    [0, "100 of 2,000 runs checked, 100 a second, 19 s left"],
  ] as const) {
    const shown = opened(true, false, columns);
    await work(shown, 1_000, 2_000);
    assert.equal(shown.screen.text, `${ERASE}${shows}`);
  }
});

test("what is left is estimated from what was done since the start of the step", async () => {
  const shown = opened(false);
  shown.progress.onProgress("runs sent", 500, 10_000);
  await shown.clock.advance(10_000);
  shown.progress.onProgress("runs sent", 1_500, 10_000);
  await shown.clock.advance(10_000);
  shown.progress.onProgress("runs sent", 1_530, 400_000);
  await shown.clock.advance(10_000);
  shown.progress.onProgress("runs sent", 1_530);
  assert.deepEqual(shown.screen.text.split("\n"), [
    "1,500 of 10,000 runs sent, 100 a second, 85 s left",
    "1,530 of 400,000 runs sent, 52 a second, 3 h left",
    "1,530 runs sent, 34 a second",
    "",
  ]);
});

test("elsewhere a plain line is written every ten seconds, and for a program none", async () => {
  const plain = opened(false);
  await work(plain, 25_000, 5_000);
  plain.progress.end();
  assert.deepEqual(plain.screen.text.split("\n"), [
    "1,000 of 5,000 runs checked, 100 a second, 40 s left",
    "2,000 of 5,000 runs checked, 100 a second, 30 s left",
    "",
  ]);
  const quiet = opened(true, true);
  await work(quiet, 25_000, 5_000);
  quiet.progress.end();
  assert.equal(quiet.screen.text, "");
});

test("a note has a line of its own, and what was drawn does not remain beside it", async () => {
  const shown = opened(true);
  await work(shown, 1_000);
  shown.progress.note("one run is damaged\u0007");
  assert.ok(shown.screen.text.endsWith(`a second${ERASE}one run is damaged\ufffd\n`));
  assert.equal(shown.progress.soFar(), " after 100 runs checked");
  assert.equal(opened(true).progress.soFar(), "");
});

test("a command continues when its output is no longer read", async () => {
  const gone = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error("gone"), { code: "EPIPE" })),
  });
  const progress = openProgress({ stderr: gone }, new FakeClock(), false);
  progress.note("to nobody");
  await new Promise(setImmediate);
  progress.end();
});
