/**
 * Strings that have broken something somewhere, by the classes of what they break: terminals, logs, databases, shells,
 * paths, formats, prototypes, and whatever takes a character for a byte.
 */
export const NAUGHTY_STRINGS: readonly string[] = [...new Set(collect())];

function* collect(): Generator<string> {
  // Words that mean something to a language, a database or a file system.
  yield* words(
    "null undefined true false NaN Infinity -Infinity nil None (null) NULL void 0 -0 1e400 0x10 1_000 .5 +1",
  );
  yield* words(
    "__proto__ constructor prototype toString valueOf hasOwnProperty __defineGetter__ then toJSON length name",
  );
  yield* words(
    "CON PRN AUX NUL COM1 LPT1 .. . / // \\ \\\\ ~ ~root $HOME %HOMEPATH% file:///etc/passwd ../../etc/passwd",
  );
  yield* words("%00 %0d%0a %2e%2e%2f ..%2f ..%5c %u002e %c0%ae %n %s %x%x%x%x %d {0} {{7*7}} ${7*7} #{7*7} <%=7*7%>");
  yield* [
    "' OR 1=1 --",
    '" OR ""="',
    "'; DROP TABLE runs; --",
    "1; SELECT pg_sleep(1)",
    "\\'; --",
    "a' || 'b",
    "admin'/*",
    "$(touch here)",
    "`id`",
    "; ls -la",
    "| cat",
    "&& true",
    "> /dev/null",
    "$IFS",
    "-rf",
    "--help",
    "@file",
    "!!",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "]]>",
    "<!--",
    "&lt;",
    "&#0;",
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    "http://169.254.169.254/latest/meta-data",
    "http://user:secret@host/",
    "//host",
    "\\\\host\\share",
    "data:,x",
    '"',
    "'",
    "`",
    "\\",
    '\\"',
    '"}',
    '",',
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '{"a":1}',
    "\\u0000",
    "\\ud800",
    "\\x00",
    '{"$ne":null}',
    "*)(uid=*",
    "a\tb",
    " a ",
    "  ",
    "\t",
    "=1+1",
    "+1-1",
    "@SUM(1)",
    "-1+1|cmd",
    "{source}",
    "{problem}",
  ];
  // Line breaks and other controls, each on its own and within a word.
  for (let code = 0; code < 0x20; code += 1) yield `a${String.fromCharCode(code)}b`;
  for (const code of [0x7f, 0x80, 0x85, 0x9b, 0xa0, 0xad]) yield `a${String.fromCharCode(code)}b`;
  yield* [
    "\r\n",
    "a\r\nSet-Cookie: b=1",
    "a\nb",
    '\n{"event":"run"}\n',
    "\u001b[31mred\u001b[0m",
    "\u001b]0;title\u0007",
    "\0",
  ];
  // Invisible, directional and combining characters, and line separators that only some know.
  for (const code of [
    0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff, 0xfffc,
    0xfffd, 0xfffe, 0xffff,
  ]) {
    yield String.fromCharCode(code);
    yield `a${String.fromCharCode(code)}b`;
  }
  // Lone and swapped surrogates.
  yield* ["\ud800", "\udfff", "a\udc00b", "\udc00\ud800", "\ud83d", "x\ud83d\ud83d\ude00"];
  yield* [
    "é",
    "e\u0301",
    "Å",
    "A\u030a",
    "ﬁ",
    "ſ",
    "İ",
    "ı",
    "ß",
    "ẞ",
    "Ω",
    "Ω",
    "𝒳",
    "ａｂｃ",
    "①",
    "½",
    "٣",
    "Ǆ",
    "ŉ",
  ];
  yield* [
    "مرحبا",
    "שלום",
    "a\u202eb\u202cc",
    "العربية abc",
    "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠k̴͙̻e",
    "田中さん",
    "表ポあA鷗",
    "사회과학원",
    "Здравствуй",
    "ไทย",
    "ನಮಸ್ಕಾರ",
    "ꙮ",
  ];
  yield* ["😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇬🇧", "👍🏿", "1️⃣", "\u{10ffff}", "\u{1f600}\u{fe0f}", "(╯°□°）╯︵ ┻━┻", "❤", "\u{e0001}"];
  // A few characters of every block of the basic plane, in a row.
  for (let block = 0x0100; block < 0xd800; block += 0x0200) yield String.fromCharCode(block + 1, block + 2, block + 3);
  for (let plane = 0x10000; plane <= 0x100000; plane += 0x10000) yield String.fromCodePoint(plane + 0x100);
  // Long ones.
  yield* [
    "x".repeat(129),
    "x".repeat(1024),
    "é".repeat(2000),
    "😀".repeat(500),
    "a\u0301".repeat(700),
    "{".repeat(500),
    '"'.repeat(300),
    "\\".repeat(301),
    "\0".repeat(64),
  ];
}

function words(text: string): string[] {
  return text.split(" ");
}

/** Strings that do something where a text is taken for markup, an address or a template. What they do is seen in `window.pwned`. */
export const MARKUP_STRINGS: readonly string[] = [
  "<script>window.pwned=1</script>",
  '<img src=x onerror="window.pwned=1">',
  "\"><svg onload=window.pwned=1 id='evil'>",
  "' onmouseover='window.pwned=1' x='",
  "</title></style></textarea></script><script>window.pwned=1</script>",
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<a id="evil" href="javascript:window.pwned=1">x</a>',
  '<base href="https://evil.example/">',
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<math><mtext><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=window.pwned=1&gt;'>",
  "javascript:window.pwned=1//",
  "{{constructor.constructor('window.pwned=1')()}}",
  "${window.pwned=1}",
  "&lt;img src=x onerror=window.pwned=1&gt;",
  "\\u003cimg src=x onerror=window.pwned=1\\u003e",
  "\u202e>1=denwop.wodniw=rorreno x=crs gmi<",
];
