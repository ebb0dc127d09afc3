import * as fc from "fast-check";

/*
 * Arbitrary replies of a vendor, valid and invalid ones. Texts have one character for each byte.
 */

const BLANKS = weighted([8, ""], [8, " "], [2, "  "], [1, "\t"], [1, " \t "]);
const TOKEN = fc.constantFrom("a", "X-Page", "set-cookie", "x!#$%&'*+-.^_`|~9", "__proto__", "connection-x");
const TEXT = fc.constantFrom("", "1", "a b", "a,\tb", "\xe9\xff", '"q;"', "0", "chunked", "close");
const VERSION = weighted(
  [60, "HTTP/1.1"],
  [5, "HTTP/1.0"],
  [1, "HTTP/2.0"],
  [1, "HTTP/0.9"],
  [1, "http/1.1"],
  [1, "ICY"],
);
const STATUS = weighted(
  [20, "200"],
  [4, "204"],
  [4, "304"],
  [4, "404"],
  [2, "500"],
  [2, "600"],
  [1, "999"],
  [1, "099"],
  [1, "20"],
  [1, "2000"],
  [1, "101"],
);
const REASON = weighted(
  [4, ""],
  [4, " "],
  [12, " OK"],
  [4, " Not\tFound \xe9"],
  [1, "  "],
  [1, " a\x01"],
  [1, " a\x00b"],
  [1, "\t"],
);
const END_OF_LINE = weighted([300, "\r\n"], [1, "\n"], [1, "\r"], [1, "\r\r\n"], [1, "\r\n "], [1, "\n\r"]);
const LENGTH_OFF = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1);
const CODING = weighted(
  [40, "chunked"],
  [2, "Chunked"],
  [1, "gzip"],
  [1, "gzip, chunked"],
  [1, "chunked, gzip"],
  [1, "identity"],
  [1, ""],
  [1, " chunked"],
  [1, "chunked,"],
  [1, "xchunked"],
  [1, "chunked;a=b"],
);
const EXTENSION = weighted(
  [60, ""],
  [2, ";a"],
  [2, ";a=b"],
  [1, ';a="b;c"'],
  [1, "; a"],
  [1, ";"],
  [1, ";a="],
  [1, ";a =b"],
  [1, ';a="\\""'],
  [1, ';a="b'],
  [1, " "],
  [1, "\t"],
  [1, ";a=b;c=d"],
  [1, ";\x80"],
  [1, ';a="\x80"'],
  [1, ';a="b"c'],
  [1, ";a==b"],
);

const FIELD = fc
  .tuple(TOKEN, weighted([40, ":"], [1, " :"], [1, ""], [1, ":\x00"]), BLANKS, TEXT, BLANKS)
  .map((parts) => parts.join(""));
const OTHER_FIELD = weighted(
  [1, "Connection: close"],
  [1, "connection: keep-alive"],
  [1, "Connection: x, close"],
  [1, "connection: upgrade"],
  [1, "upgrade: chat"],
  [1, "Keep-Alive: timeout=5, max=100"],
  [1, "trailer: x"],
);

function weighted(...entries: readonly (readonly [weight: number, text: string])[]): fc.Arbitrary<string> {
  return fc.oneof(...entries.map(([weight, text]) => ({ weight, arbitrary: fc.constant(text) })));
}

function chunk(data: string): fc.Arbitrary<string> {
  const size = data.length.toString(16);
  const said = weighted(
    [60, size],
    [2, size.toUpperCase()],
    [2, `0${size}`],
    [1, `${size} `],
    [1, ` ${size}`],
    [1, `-${size}`],
    [1, `0x${size}`],
    [1, `${"0".repeat(11)}${size}`],
    [1, "ffffffffffffffff"],
    [1, ""],
  );
  return fc
    .tuple(said, EXTENSION, END_OF_LINE, END_OF_LINE)
    .map(([digits, extension, first, second]) =>
      data === "" ? `${digits}${extension}${first}` : `${digits}${extension}${first}${data}${second}`,
    );
}

const DATA = fc.array(
  fc.constantFrom("a", "{}", "\r\n", "0\r\n\r\n", "\x00", "\xff", "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(40)),
  { maxLength: 4 },
);
const TRAILERS = weighted(
  [20, ""],
  [4, "x-sum: 1\r\n"],
  [1, "Content-Length: 3\r\n"],
  [1, "transfer-encoding: chunked\r\n"],
  [1, "bad name: 1\r\n"],
  [1, "a: b\n"],
  [1, "connection: close\r\n"],
);
const CHUNKED = fc
  .tuple(DATA, TRAILERS)
  .chain(([pieces, trailers]) =>
    fc
      .tuple(...[...pieces.filter((piece) => piece !== ""), ""].map(chunk))
      .map((chunks) => `${chunks.join("")}${trailers}\r\n`),
  );

/** The fields that determine where a body ends, and that body. */
const FRAMED = fc.oneof(
  fc
    .tuple(DATA, LENGTH_OFF, fc.constantFrom("Content-Length: ", "content-length:", "CONTENT-LENGTH:\t"))
    .map(([pieces, off, name]) => {
      const body = pieces.join("");
      return [[`${name}${body.length + off}`], body] as const;
    }),
  fc.tuple(CODING, CHUNKED).map(([coding, body]) => [[`Transfer-Encoding: ${coding}`], body] as const),
  DATA.map((pieces) => [[], pieces.join("")] as const),
  fc
    .tuple(
      fc.subarray([
        "content-length: 2",
        "Content-Length: 2",
        "content-length: 3",
        "content-length: +2",
        "content-length: 2, 2",
        "content-length: 02",
        "content-length: ",
        "content-length: 2 ",
        "content-length: 2\t",
        "content-length: 1 1",
        "content-length: 99999999999999999999",
        "transfer-encoding: chunked",
      ]),
      fc.constantFrom("{}", "2\r\n{}\r\n0\r\n\r\n"),
    )
    .map(([fields, body]) => [fields, body] as const),
);

const FINAL = fc
  .tuple(
    VERSION,
    STATUS,
    REASON,
    fc.array(fc.oneof({ weight: 4, arbitrary: FIELD }, OTHER_FIELD), { maxLength: 4 }),
    FRAMED,
    fc.array(END_OF_LINE, { minLength: 9, maxLength: 9 }),
    fc.nat(5),
  )
  .map(([version, status, reason, others, [framing, body], ends, at]) => {
    const fields = [...others.slice(0, at), ...framing, ...others.slice(at)];
    const lines = [`${version} ${status}${reason}`, ...fields, ""];
    return lines.map((line, index) => line + (ends[index] ?? "\r\n")).join("") + body;
  });

const INTERIM = fc.constantFrom(
  "",
  "",
  "",
  "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
  "HTTP/1.1 102 \r\n\r\n",
  "HTTP/1.1 103\r\ncontent-length: 5\r\n\r\n",
  "\r\n",
);

const EDIT = fc.record({
  at: fc.nat(400),
  drop: fc.nat(3),
  put: fc.constantFrom(
    "",
    "\r",
    "\n",
    "\x00",
    " ",
    ":",
    ";",
    "\t",
    "0",
    "\r\n",
    "\r\n\r\n",
    "\x7f",
    "\x80",
    ",",
    "-",
    "a",
  ),
});

/** A reply, often a valid one, in which some bytes may have been changed. */
export const REPLY_BYTES: fc.Arbitrary<string> = fc
  .tuple(
    INTERIM,
    FINAL,
    fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(EDIT, { minLength: 1, maxLength: 3 })),
  )
  .map(([interim, final, edits]) => {
    let text = interim + final;
    for (const { at, drop, put } of edits) text = text.slice(0, at) + put + text.slice(at + drop);
    return text;
  });

/** How bytes are cut into pieces: these lengths, repeated. */
export const CUTS: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constant([Infinity]),
  fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
  fc.constant([1]),
);

export function cut(text: string, lengths: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + lengths[pieces.length % lengths.length]!);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}
