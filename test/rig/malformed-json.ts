/** Valid, and using all of JSON's grammar: what is cut and bent below. */
const VALID = String.raw`{"config":{"sources":{"a__b":true}},"inputs":{"n":-1.5e+3,"s":"\u00e9\"\\\n","l":[1,null,false]}}`;

/**
 * Texts and bytes that are no JSON value of an object, by the families of JSONTestSuite and by mutation. Every one must
 * be refused with the same bytes giving the same answer.
 */
export const MALFORMED_JSON: ReadonlyMap<string, Buffer> = new Map(
  [...collect()].map(([name, content]) => [name, typeof content === "string" ? Buffer.from(content) : content]),
);

function* collect(): Generator<[string, string | Buffer]> {
  yield ["nothing", ""];
  for (const blank of [" ", "\n", "\t\r\n ", "\u00a0", "\u2028", "\u3000"])
    yield [`blank ${JSON.stringify(blank)}`, blank];
  for (let length = 1; length < VALID.length; length += 1) yield [`cut after ${length}`, VALID.slice(0, length)];
  for (let at = 0; at < VALID.length; at += 3) yield [`a control character at ${at}`, insert(at, "\u0001")];
  for (let at = 1; at < VALID.length; at += 4) yield [`a NUL at ${at}`, insert(at, "\0")];
  for (let at = 0; at < VALID.length; at += 7) yield [`a byte that is no UTF-8 at ${at}`, insertByte(at, 0xff)];
  for (const at of structureOf(VALID))
    yield [`the ${VALID[at]} at ${at} left out`, VALID.slice(0, at) + VALID.slice(at + 1)];
  for (const at of structureOf(VALID)) yield [`the ${VALID[at]} at ${at} doubled`, insert(at, VALID[at]!)];

  for (const top of ["null", "true", "0", '"text"', "[]", "[{}]", "-1.5"]) yield [`top level ${top}`, top];
  yield* bent("value", [
    "+1",
    "01",
    "-01",
    "1.",
    ".1",
    "-.1",
    "-",
    "1e",
    "1e+",
    "1.e1",
    "0x10",
    "0b1",
    "1_000",
    "1,000",
    "１",
    "Infinity",
    "-Infinity",
    "NaN",
    "-NaN",
    "- 1",
    "1 2",
    "1a",
    "0e",
    "2.e3",
    "--1",
    "+Inf",
    "1eE2",
    "1e400",
    "-1e400",
    "1E999",
    "9".repeat(400),
    `-${"9".repeat(310)}.5`,
    "True",
    "nul",
    "truefalse",
    "null1",
    "undefined",
    "None",
    "nan",
    "tru",
    "fals",
    "TRUE",
    "'a'",
    "`a`",
    "a",
    '"a',
    'a"',
    '"a" "b"',
    '"a"b',
    '"a\\',
    '"\\"',
    "[1",
    "1]",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[1;2]",
    "[1:2]",
    '["a":1]',
    "[",
    "]",
    "[[]",
    "[]]",
    "(1)",
    "<1>",
    '{"a"}',
    '{"a":}',
    "{:1}",
    '{"a" 1}',
    '{"a"::1}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{null:1}",
    '{"a":1 "b":2}',
    '{"a":1;"b":2}',
    '{"a","b"}',
    '{"a":1]',
    "[1}",
    "{",
    "}",
    '{"a":1}}',
    "{{}}",
    "{[]:1}",
    "/* c */ 1",
    "1 // c",
    "# c\n1",
    "<!-- c --> 1",
    "\ufeff1",
    "\u00a01",
    "\u20281",
    "\f1",
    "\v1",
    "1\0",
    "*",
    "&a",
    "@",
    "\\u0031",
    "new Date()",
    "function(){}",
    "{...a}",
    "1n",
    "0o7",
    "`${1}`",
  ]);
  yield* bent(
    "text",
    [
      "\\a",
      "\\x41",
      "\\0",
      "\\'",
      "\\u",
      "\\u1",
      "\\u12",
      "\\u123",
      "\\u123g",
      "\\uD83",
      "\\U0041",
      "\\u{41}",
      "\\ ",
      "\\\n",
      "\\🙂",
      "\\u 041",
    ].map((text) => `"${text}"`),
  );
  for (let code = 0; code < 0x20; code += 1)
    yield [`control character ${code} within a text`, bend(`"${String.fromCharCode(code)}"`)];

  const inText = (bytes: readonly number[]) =>
    Buffer.concat([Buffer.from('{"config":{"sources":{}},"inputs":{"a":"'), Buffer.from(bytes), Buffer.from('"}}')]);
  const notUtf8: Readonly<Record<string, readonly number[]>> = {
    "a continuation alone": [0x80],
    "a start alone": [0xc3],
    "a cut sequence of three": [0xe2, 0x82],
    "a cut sequence of four": [0xf0, 0x9f, 0x98],
    "an overlong slash": [0xc0, 0xaf],
    "an overlong NUL": [0xc0, 0x80],
    "an overlong slash of three": [0xe0, 0x80, 0xaf],
    "an overlong slash of four": [0xf0, 0x80, 0x80, 0xaf],
    "a high surrogate": [0xed, 0xa0, 0x80],
    "a low surrogate": [0xed, 0xb0, 0x80],
    "a pair of surrogates": [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    "beyond Unicode": [0xf4, 0x90, 0x80, 0x80],
    "five bytes": [0xf8, 0x88, 0x80, 0x80, 0x80],
    fe: [0xfe],
    ff: [0xff],
    "latin-1": [0xe9],
    "latin-1 within ASCII": [0x61, 0xe9, 0x62],
  };
  for (const [name, bytes] of Object.entries(notUtf8)) yield [`invalid UTF-8: ${name}`, inText(bytes)];
  yield ["UTF-16, little end", Buffer.from(VALID, "utf16le")];
  yield ["UTF-16, little end, with its mark", Buffer.from(`\ufeff${VALID}`, "utf16le")];
  yield ["UTF-16, big end, with its mark", Buffer.from(`\ufeff${VALID}`, "utf16le").swap16()];
  yield ["UTF-32", Buffer.from(Array.from(Buffer.from(VALID), (byte) => [byte, 0, 0, 0]).flat())];
  yield ["two byte order marks", `\ufeff\ufeff${VALID}`];
  yield ["a byte order mark at the end", `${VALID}\ufeff`];
  yield ["a byte order mark alone", "\ufeff"];
  yield ["half a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(VALID)])];

  yield ["two documents", VALID + VALID];
  yield ["two documents in lines", `${VALID}\n${VALID}`];
  yield ["something after it", `${VALID} x`];
  yield ["something before it", `)]}',\n${VALID}`];
  yield ["a NUL after it", `${VALID}\0`];
  yield ["a form", "config=1&inputs=2"];
  yield ["XML", "<config/>"];
  yield ["YAML", "config:\n  sources:\n    a__b: true\n"];
  yield ["text as JSON text", JSON.stringify(VALID)];

  for (const depth of [65, 100, 1000, 5000, 100_000]) {
    yield [`${depth} lists deep`, bend("[".repeat(depth) + "]".repeat(depth))];
    yield [`${depth} objects deep`, bend('{"a":'.repeat(depth) + "1" + "}".repeat(depth))];
  }
  yield ["100,000 lists opened", "[".repeat(100_000)];
  yield ["100,000 objects opened", '{"a":'.repeat(100_000)];
  yield [
    "60,000 keys in one object",
    bend(`{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":0`).join(",")}}`),
  ];
  yield [
    "60,000 keys that are numbers",
    bend(`{${Array.from({ length: 60_000 }, (_, index) => `"${index * 65_537}":0`).join(",")}}`),
  ];
  yield ["10,001 times the same key", bend(`{${Array.from({ length: 10_001 }, () => '"k":0').join(",")}}`)];
}

function* bent(what: string, values: readonly string[]): Generator<[string, string]> {
  for (const value of values) yield [`${what} ${value.slice(0, 40)}`, bend(value)];
}

/** A request that is valid but for this one value. */
function bend(value: string): string {
  return `{"config":{"sources":{"a__b":true}},"inputs":{"a":${value}}}`;
}

function insert(at: number, text: string): string {
  return VALID.slice(0, at) + text + VALID.slice(at);
}

function insertByte(at: number, byte: number): Buffer {
  return Buffer.concat([Buffer.from(VALID.slice(0, at)), Buffer.from([byte]), Buffer.from(VALID.slice(at))]);
}

/** Where a character can neither be missing nor come twice. */
function structureOf(text: string): number[] {
  return [...text.matchAll(/[{}[\]:]/g)].map(({ index }) => index);
}
