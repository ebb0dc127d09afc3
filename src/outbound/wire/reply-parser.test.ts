import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { readByNode, readByUndici, readByUs, type Whole } from "./reading.kit.ts";
import { cut, CUTS, REPLY_BYTES } from "./reply-streams.kit.ts";

const METHOD = fc.constantFrom("GET", "GET", "GET", "POST", "HEAD");
const RUNS = Number(process.env["WIRE_RUNS"] ?? 3_000);

/** What only undici refuses: an interim 100, and a space after a length. */
const UNDICI_REFUSES = /^HTTP\/1\.1 100|^content-length:.* \r$/im;

/** The errors of our parser for replies that Node accepts. It accepts all else that Node accepts. */
const STRICTER = new Set([
  "a header field ends with a tab",
  "a line of its header cannot be read",
  "an interim answer says that it has a body",
  "it has a transfer coding, which its version does not know",
  "it has too many header fields",
  "it has too many interim answers",
  "it switches to another protocol",
  "its header is too large",
  "its status line cannot be read",
  "its trailers say how to read it",
  "its transfer coding is not chunked alone",
  "the extensions of a chunk are too long",
  "the extensions of a chunk cannot be read",
  "the size of a chunk has too many digits",
]);

/** Removes what readers may differ in: some keep trailing spaces of a value, sometimes. */
function plain(whole: Whole | null): unknown {
  if (whole === null) return null;
  const trim = (value: string): string => value.replace(/[\t ]+$/, "");
  const fields = Object.entries(whole.fields).map(([name, value]) => [name, [value!].flat().map(trim)]);
  return [whole.status, fields.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)), whole.body];
}

test("what is accepted, Node and undici read in the same way", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(REPLY_BYTES, METHOD, CUTS, async (text, method, cuts) => {
      const ours = readByUs(cut(text, cuts), method);
      if (ours.whole === null) return;
      accepted += 1;
      // Bytes after the reply belong to nothing, but the others would read them as another reply.
      const pieces = cut(text.slice(0, ours.used), cuts);
      assert.deepEqual(plain(await readByNode(pieces, method)), plain(ours.whole));
      if (UNDICI_REFUSES.test(text)) return;
      assert.deepEqual(plain(await readByUndici(pieces, method)), plain(ours.whole));
    }),
    { numRuns: RUNS },
  );
  assert.ok(accepted > RUNS / 10, `${accepted} accepted`);
});

test("what Node reads and this does not is refused for a reason that is in the list", async () => {
  await fc.assert(
    fc.asyncProperty(REPLY_BYTES, METHOD, async (text, method) => {
      const pieces = cut(text, [Infinity]);
      const ours = readByUs(pieces, method);
      if (ours.whole !== null || (ours.problem !== null && STRICTER.has(ours.problem.message))) return;
      assert.equal(await readByNode(pieces, method), null, ours.problem?.message);
    }),
    { numRuns: RUNS },
  );
});

test("how bytes are cut into pieces changes nothing", () => {
  fc.assert(
    fc.property(REPLY_BYTES, METHOD, CUTS, (text, method, cuts) => {
      const [one, other] = [readByUs(cut(text, [Infinity]), method), readByUs(cut(text, cuts), method)];
      assert.deepEqual(plain(other.whole), plain(one.whole));
      if (one.whole !== null) assert.equal(other.used, one.used);
      // Pieces may be refused before the missing bytes arrive.
      if (one.problem !== null) assert.notEqual(other.problem, null);
    }),
    { numRuns: 3 * RUNS },
  );
});

// ---- the corpus: streams that something was once learned from ------------------------------------------------------

interface Stream {
  readonly method?: string;
  /** One character per byte. */
  readonly bytes: string;
  /** `stricter`: refused, although Node accepts it. */
  readonly outcome:
    | "refused"
    | "stricter"
    | "cut short"
    | { readonly status: number; readonly body: string; readonly surplus?: number };
}

for (const path of globSync(`${import.meta.dirname}/corpus/*.json`)) {
  const { bytes, method = "GET", outcome } = JSON.parse(readFileSync(path, "utf8")) as Stream;
  const what = basename(path, ".json").replaceAll("-", " ");

  test(`${what}: ${typeof outcome === "string" ? outcome : "read"}`, async () => {
    for (const cuts of [[Infinity], [1], [7, 3]]) {
      const { whole, problem, used } = readByUs(cut(bytes, cuts), method);
      if (typeof outcome !== "string") {
        assert.deepEqual([whole?.status, whole?.body], [outcome.status, outcome.body]);
        assert.equal(bytes.length - used, outcome.surplus ?? 0);
      } else {
        assert.equal(whole, null);
        assert.equal(problem === null, outcome === "cut short");
      }
    }
    if (outcome === "refused" || outcome === "stricter")
      assert.equal((await readByNode(cut(bytes, [Infinity]), method)) === null, outcome === "refused");
  });
}
