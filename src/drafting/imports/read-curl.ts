import { CALL_MS_MAX } from "../../terms/time/times.ts";
import type { CapturedRequest } from "./captured-request.ts";
import { ImportProblem, locationIn } from "./import-problem.ts";
import { shellWords, type Word } from "./shell-words.ts";

/** What an option adds to the request. */
type CurlPart =
  | "method"
  | "header"
  | "address"
  | "user"
  | "cookie"
  | "data"
  | "dataRaw"
  | "dataEncoded"
  | "json"
  | "query"
  | "inQuery"
  | "agent"
  | "referer"
  | "bearer"
  | "time"
  | "redirects";

/** The words for a part of the request, in the order of the command. */
type CurlRequest = (part: CurlPart) => readonly Word[];

/** Whether an option takes a value, and its effect. `refuses`: the reason why the option cannot be imported. */
interface CurlOption {
  readonly takes: boolean;
  readonly does: CurlPart | "nothing" | { readonly refuses: string };
}

/** Options that do not change the request. */
const nothing = (names: string, takes: boolean): Readonly<Record<string, CurlOption>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, { takes, does: "nothing" }]));
const refuses = (why: string, takes = false): CurlOption => ({ takes, does: { refuses: why } });
const takes = (does: CurlPart): CurlOption => ({ takes: true, does });
const FORM = refuses("a form of several parts cannot be written in YAML: write the source in TypeScript", true);
const UNSAFE = refuses("certificates of vendors are always verified: remove it");
const PROXY = refuses("a proxy is a setting of the service, not of a source: remove it", true);
const LOGIN = refuses("this is a separate login: give the command of the request that follows it", false);
const CERTIFICATE = refuses("a client certificate is given as --auth mtls, and its file becomes a credential", true);

/** By long name. `SHORT` maps the short names to these. */
const OPTIONS: Readonly<Record<string, CurlOption>> = {
  request: takes("method"),
  header: takes("header"),
  url: takes("address"),
  user: takes("user"),
  cookie: takes("cookie"),
  data: takes("data"),
  "data-ascii": takes("data"),
  "data-binary": takes("data"),
  "data-raw": takes("dataRaw"),
  "data-urlencode": takes("dataEncoded"),
  json: takes("json"),
  "url-query": takes("query"),
  get: { takes: false, does: "inQuery" },
  "user-agent": takes("agent"),
  referer: takes("referer"),
  "oauth2-bearer": takes("bearer"),
  "max-time": takes("time"),
  location: { takes: false, does: "redirects" },
  ...nothing(
    "silent show-error verbose include compressed fail fail-with-body globoff basic http1.0 http1.1 http2 http2-prior-knowledge http3 no-buffer progress-bar no-progress-meter tlsv1.2 tlsv1.3 ipv4 ipv6",
    false,
  ),
  ...nothing("output write-out connect-timeout retry retry-delay dump-header trace cookie-jar", true),
  form: FORM,
  "form-string": FORM,
  insecure: UNSAFE,
  proxy: PROXY,
  socks5: PROXY,
  "proxy-user": PROXY,
  digest: refuses("give --auth http_digest, which answers the challenge", false),
  ntlm: LOGIN,
  negotiate: LOGIN,
  anyauth: LOGIN,
  cert: CERTIFICATE,
  key: CERTIFICATE,
  cacert: CERTIFICATE,
  head: refuses("a reply without a body has no record: give the command that fetches it"),
  next: refuses("a source makes one request: give one command"),
  "aws-sigv4": refuses(
    "this signature is not drafted: give --auth hmac:Authorization and write the text to sign as example_signed__aws_search does",
    true,
  ),
  "upload-file": refuses("a source cannot send a file: give the body with -d", true),
  config: refuses("an option file is not read: write its options into the command", true),
  "location-trusted": refuses("a key is never forwarded to another host: remove it"),
  "unix-socket": refuses("a source calls an origin, not a socket", true),
  resolve: refuses("the service resolves names itself: remove it", true),
  "request-target": refuses("the path has to be in the address", true),
  netrc: refuses("the key has to be in the command; a placeholder is sufficient"),
};
const SHORT: Readonly<Record<string, string>> = {
  X: "request",
  H: "header",
  u: "user",
  b: "cookie",
  d: "data",
  G: "get",
  A: "user-agent",
  e: "referer",
  m: "max-time",
  s: "silent",
  S: "show-error",
  v: "verbose",
  i: "include",
  f: "fail",
  g: "globoff",
  L: "location",
  o: "output",
  w: "write-out",
  D: "dump-header",
  c: "cookie-jar",
  F: "form",
  k: "insecure",
  x: "proxy",
  U: "proxy-user",
  E: "cert",
  I: "head",
  T: "upload-file",
  K: "config",
  N: "no-buffer",
  "#": "progress-bar",
  0: "http1.0",
  1: "tlsv1",
  4: "ipv4",
  6: "ipv6",
  n: "netrc",
};

/** Parses the request of a curl command. @throws ImportProblem for each option that a source cannot express */
export function readCurl(text: string, file: string): CapturedRequest {
  const refuse = (at: number, problem: string, instead?: string): never => {
    throw new ImportProblem(locationIn(file, text, at), problem, instead);
  };
  const words = shellWords(text, file).filter(({ text: word }, at) => at > 0 || word !== "$");
  const [command, ...rest] = words;
  if (command === undefined || !/^(?:.*[/\\])?curl(?:\.exe)?$/.test(command.text))
    refuse(command?.at ?? 0, "this is not a curl command", 'it begins with "curl"');
  const given = new Map<CurlPart, Word[]>();
  const give = (part: CurlPart, word: Word) => given.set(part, [...(given.get(part) ?? []), word]);
  const parts: string[] = [];
  const ignored = new Set<string>();

  const take = (name: string, shown: string, at: number, value: Word | undefined): void => {
    const { does, takes: wants } = OPTIONS[name]!;
    if (typeof does === "object") refuse(at, `${shown} cannot be imported`, does.refuses);
    if (wants && value === undefined) refuse(at, `${shown} needs a value`);
    if (does === "nothing") ignored.add(shown);
    else give(does as CurlPart, value ?? { text: "", at });
    if (does === "data" || does === "dataRaw" || does === "dataEncoded" || does === "json")
      parts.push(dataOf(does, value!, refuse));
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { text: option, at } = word;
    if (option.startsWith("--") && option !== "--") {
      const name = option.slice(2);
      if (!Object.hasOwn(OPTIONS, name))
        refuse(
          at,
          `${/^--[a-z0-9.-]{1,30}$/.test(option) ? option : "this option"} is unknown`,
          "remove it if the request is the same without it",
        );
      take(name, option, at, OPTIONS[name]!.takes ? rest.shift() : undefined);
    } else if (/^-[^-]/.test(option)) {
      takeShort(word);
    } else give("address", word);
  }

  function takeShort({ text: option, at }: Word): void {
    for (let index = 1; index < option.length; index += 1) {
      const letter = option[index]!;
      const name = Object.hasOwn(SHORT, letter) ? SHORT[letter]! : "";
      if (!Object.hasOwn(OPTIONS, name))
        refuse(
          at,
          `-${/[A-Za-z0-9]/.test(letter) ? letter : "?"} is unknown`,
          "remove it if the request is the same without it",
        );
      if (!OPTIONS[name]!.takes) {
        take(name, `-${letter}`, at, undefined);
        continue;
      }
      const inside = option.slice(index + 1);
      take(name, `-${letter}`, at, inside === "" ? rest.shift() : { text: inside, at });
      return;
    }
  }

  return toRequest((part) => given.get(part) ?? [], parts, ignored, refuse);
}

type Refuse = (at: number, problem: string, instead?: string) => never;

/** The part of the body that one option adds. */
function dataOf(kind: "data" | "dataRaw" | "dataEncoded" | "json", { text, at }: Word, refuse: Refuse): string {
  const isFile = kind === "dataEncoded" ? /^[^=]*@/.test(text) && !text.startsWith("=") : text.startsWith("@");
  if (isFile && kind !== "dataRaw") refuse(at, "the body is in another file", "write the body into the command");
  if (kind !== "dataEncoded") return text;
  const [name, value] = text.includes("=")
    ? [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]
    : ["", text];
  return `${name === "" ? "" : `${name}=`}${encodeURIComponent(value)}`;
}

function toRequest(
  given: CurlRequest,
  parts: readonly string[],
  ignored: ReadonlySet<string>,
  refuse: Refuse,
): CapturedRequest {
  const [address, second] = given("address");
  if (address === undefined) return refuse(0, "the command has no address");
  if (second !== undefined) refuse(second.at, "the command has a second address", "a source makes one request");
  if (/\{[^}]*,|\[[0-9a-z]+-[0-9a-z]+\]/i.test(address.text))
    refuse(address.at, "curl expands this to several addresses", "write {name} for an input");
  const headers = given("header").map(({ text, at }): readonly [string, string] => {
    if (text.startsWith("@")) refuse(at, "header fields are in another file", "write them into the command");
    const [, name, value] = /^([^:;]+):(.*)$/s.exec(text) ?? [];
    if (name === undefined || value!.trim() === "")
      return refuse(at, "a header field has no value", "remove it, or give it one");
    return [name.trim(), value!.trim()];
  });
  const has = (name: string) => headers.some(([known]) => known.toLowerCase() === name);
  const isJson = given("json").length > 0;
  if (isJson && given("json").length !== parts.length)
    refuse(given("json")[0]!.at, "--json cannot be combined with another body");
  if (isJson && !has("content-type")) headers.push(["Content-Type", "application/json"]);
  if (isJson && !has("accept")) headers.push(["Accept", "application/json"]);
  for (const { text, at } of given("cookie")) {
    if (!text.includes("=")) refuse(at, "cookies are in another file", "write them into the command");
    headers.push(["Cookie", text]);
  }
  for (const { text } of given("agent")) headers.push(["User-Agent", text]);
  for (const { text } of given("referer")) headers.push(["Referer", text]);
  for (const { text } of given("bearer")) headers.push(["Authorization", `Bearer ${text}`]);
  const toQuery = given("inQuery").length > 0;
  const query = [...given("query").map((word) => dataOf("dataEncoded", word, refuse)), ...(toQuery ? parts : [])];
  const hasBody = parts.length > 0 && !toQuery;
  const joined = parts.join(isJson ? "" : "&");
  const method = given("method").at(-1)?.text.toUpperCase() ?? (hasBody ? "POST" : "GET");
  if (hasBody && method === "GET")
    refuse(given("method").at(-1)!.at, "a GET has no body", "give -G to send it in the query, or -X POST");
  const seconds = Number(given("time").at(-1)?.text ?? 0);
  return {
    method,
    url:
      query.length === 0 ? address.text : `${address.text}${address.text.includes("?") ? "&" : "?"}${query.join("&")}`,
    headers,
    body: hasBody ? { text: joined, type: "application/x-www-form-urlencoded" } : undefined,
    user: given("user").at(-1)?.text,
    timeoutMs: seconds > 0 ? Math.min(Math.ceil(seconds * 1000), CALL_MS_MAX) : undefined,
    hasPlaceholders: true,
    refuse: (problem, instead) => refuse(address.at, problem, instead),
    notes: [
      ...(ignored.size === 0 ? [] : [`Left out, because it does not change the request: ${[...ignored].join(", ")}.`]),
      ...(given("redirects").length === 0
        ? []
        : ["-L is left out: if the vendor redirects, write the number of redirects under request."]),
    ],
  };
}
