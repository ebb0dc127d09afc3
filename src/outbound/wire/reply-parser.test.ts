import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { readByNode, readByUndici, readByParser, type Reading, type CompleteReply } from "./reading.kit.ts";
import { cut, CUTS, REPLY_BYTES } from "./reply-streams.kit.ts";

const METHOD = fc.constantFrom("GET", "GET", "GET", "POST", "HEAD");
const RUNS = Number(process.env["WIRE_RUNS"] ?? 3_000);

/** Replies that only undici refuses: an interim 100, and a space after a length. */
const UNDICI_REFUSES = /^HTTP\/1\.1 100|^content-length:.* \r$/im;

/** The errors of our parser for replies that Node accepts. It accepts all else that Node accepts. */
const STRICTER = new Set([
  "a framing field ends with a tab",
  "a line of its header cannot be read",
  "an interim answer says that it has a body",
  "it does not begin as a reply does",
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

/** The errors of the lenient reading for replies that Node accepts with `insecureHTTPParser`. */
const LENIENT_STRICTER = new Set([
  "a framing field ends with a tab",
  "a line of its header cannot be read",
  "it does not begin as a reply does",
  "it has too many header fields",
  "it has too many interim answers",
  "it switches to another protocol",
  "its header is too large",
  "its status line cannot be read",
  "its transfer coding does not end with chunked",
  "the extensions of a chunk are too long",
  "the extensions of a chunk cannot be read",
  "the size of a chunk has too many digits",
]);

/**
 * Replies that only the lenient reading accepts: blanks before the colon of any field, where Node accepts them for framing
 * fields; an empty transfer coding; a length that continues on an empty line; a first field after blanks; LF alone as
 * both line ends of the last chunk.
 */
const MORE_LENIENT =
  /^[^\r\n:]+[ \t]+:|^transfer-encoding[ \t]*:[ \t]*$|^content-length[^\n]*\n[ \t]|^HTTP[^\n]*\n[ \t]|\n\n/im;
/**
 * Replies that only Node accepts: CR alone at the end of some lines, and blanks in the line that ends a head without
 * fields.
 */
const ONLY_BY_NODE = /\r(?!\n)|^HTTP[^\n]*\n[ \t]+\r?$/m;

/** Removes differences that are allowed: some readers keep trailing spaces of a value. */
function plain(whole: CompleteReply | null): unknown {
  if (whole === null) return null;
  const trim = (value: string): string => value.replace(/[\t ]+$/, "");
  const fields = Object.entries(whole.fields).map(([name, value]) => [name, [value!].flat().map(trim)]);
  return [whole.status, fields.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)), whole.body];
}

test("what is accepted, Node and undici read in the same way", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(REPLY_BYTES, METHOD, CUTS, async (text, method, cuts) => {
      const ours = readByParser(cut(text, cuts), method);
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
      const ours = readByParser(pieces, method);
      if (ours.whole !== null || (ours.problem !== null && STRICTER.has(ours.problem.message))) return;
      assert.equal(await readByNode(pieces, method), null, ours.problem?.message);
    }),
    { numRuns: RUNS },
  );
});

test("what is accepted leniently, Node reads in the same way with insecureHTTPParser", async () => {
  let lenient = 0;
  await fc.assert(
    fc.asyncProperty(REPLY_BYTES, METHOD, CUTS, async (text, method, cuts) => {
      const ours = readByParser(cut(text, cuts), method, true);
      if (ours.whole === null || MORE_LENIENT.test(text)) return;
      if (readByParser(cut(text, cuts), method).whole === null) lenient += 1;
      const pieces = cut(text.slice(0, ours.used), cuts);
      assert.deepEqual(plain(await readByNode(pieces, method, true)), plain(ours.whole));
    }),
    { numRuns: RUNS },
  );
  assert.ok(lenient > RUNS / 100, `${lenient} accepted only leniently`);
});

test("what Node reads with insecureHTTPParser is accepted leniently, or refused for a reason that is in the list", async () => {
  await fc.assert(
    fc.asyncProperty(REPLY_BYTES, METHOD, async (text, method) => {
      const pieces = cut(text, [Infinity]);
      const ours = readByParser(pieces, method, true);
      if (ours.whole !== null || ONLY_BY_NODE.test(text)) return;
      if (ours.problem !== null && LENIENT_STRICTER.has(ours.problem.message)) return;
      assert.equal(await readByNode(pieces, method, true), null, ours.problem?.message);
    }),
    { numRuns: RUNS },
  );
});

test("the lenient reading changes nothing of what the strict one accepts, and only then is a connection reused", () => {
  fc.assert(
    fc.property(REPLY_BYTES, METHOD, CUTS, (text, method, cuts) => {
      const [strict, lenient] = [readByParser(cut(text, cuts), method), readByParser(cut(text, cuts), method, true)];
      if (strict.whole !== null) assert.deepEqual(lenient, strict);
      else assert.equal(lenient.reusable, false);
    }),
    { numRuns: RUNS },
  );
});

test("how bytes are cut into pieces changes nothing", () => {
  fc.assert(
    fc.property(REPLY_BYTES, METHOD, CUTS, fc.boolean(), (text, method, cuts, lenient) => {
      const [one, other] = [cut(text, [Infinity]), cut(text, cuts)].map((pieces) =>
        readByParser(pieces, method, lenient),
      ) as [Reading, Reading];
      assert.deepEqual(plain(other.whole), plain(one.whole));
      if (one.whole !== null) assert.equal(other.used, one.used);
      // Pieces may be refused before the missing bytes arrive.
      if (one.problem !== null) assert.notEqual(other.problem, null);
    }),
    { numRuns: 3 * RUNS },
  );
});

// ---- the corpus: byte streams, each kept as a regression test --------------------------------------------------------

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
      const { whole, problem, used } = readByParser(cut(bytes, cuts), method);
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
