import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { isScalar, parse, parseDocument, visit } from "yaml";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const REPLY = { company: { number: "00000006", name: "Ada & Sons", state: "ACTIVE" } };
const REGISTER = readFileSync(new URL("register.openapi.yaml", import.meta.url), "utf8");

/** A project with files to import, and what `source new` makes of one of them. */
function importing(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = project(t, { "reply.json": JSON.stringify(REPLY), ...files });
  const { run } = shell(t, folder, undefined, { writesTypes: false });
  const at = (name: string) => join(folder, name);
  const make = (options: Readonly<Record<string, string>>, typed = "", isTTY = false) => {
    const all = { title: "Company", nobody: "404", ...options };
    return run(
      ["source", "new", "acme__company", ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])],
      typed,
      isTTY,
    );
  };
  const path = at("sources/acme/company.yaml");
  return { folder, at, run, make, path, written: () => readFileSync(path, "utf8") };
}

interface Written {
  readonly inputs: { readonly required: string[]; readonly properties: Record<string, object> };
  readonly auth: object;
  readonly request: object;
  readonly cases: readonly { readonly inputs: object; readonly request: object | object[] }[];
}

/** A command with its sample beside it, as the source that came of it; it has passed `source test`. */
async function ofCurl(t: TestContext, command: string, options: Readonly<Record<string, string>> = {}) {
  const { at, make, run, written } = importing(t, { "request.sh": command });
  const made = await make({ "from-curl": at("request.sh"), sample: at("reply.json"), ...options });
  assert.equal(made.code, 0, made.stderr);
  const tested = await run(["source", "test", "acme__company"]);
  assert.equal(tested.code, 0, tested.stdout);
  return { ...(parse(written()) as Written), stderr: made.stderr };
}

test("a body of JSON comes over whole, whatever its media type says besides", async (t) => {
  const { request, inputs, cases } = await ofCurl(
    t,
    `curl --request POST \\
  --url https://api.acme.example/visits \\
  --header 'content-type: application/json; charset=UTF-8' \\
  --data '{"userId":"123","active":false,"visited":false}'`,
  );
  assert.deepEqual(request, {
    method: "POST",
    url: "https://api.acme.example/visits",
    body: { json: { userId: "{{ inputs.user_id }}", active: "{{ inputs.active }}", visited: "{{ inputs.visited }}" } },
  });
  assert.deepEqual(inputs.properties["active"], { type: "boolean" });
  assert.deepEqual((cases[0]!.request as { body: object }).body, { userId: "123", active: false, visited: false });
});

test("a parameter with a comma, one that stands several times and one without a value are each what they were", async (t) => {
  const { request, cases } = await ofCurl(
    t,
    "curl 'https://api.acme.example/find?name=blu,bli&type[]=a&type[]=b&flag&exact=true'",
    { fixed: "exact" },
  );
  const { query } = request as { query: object };
  assert.deepEqual(query, { name: "{{ inputs.name }}", "type[]": "{{ inputs.type }}", flag: "", exact: "true" });
  const sent = cases[0]!.request as { query: object };
  assert.deepEqual(sent.query, { name: "xxx,xxx", "type[]": ["x", "x"], flag: "", exact: "true" });
});

test("signs of equality, quotes and line ends in a body are no end of it", async (t) => {
  const body = String.raw`{"url":"https://news.example","retryNum":1,"geo":"us","extractor":"// takes = body\nfunction extract(input) {\n  let top = \"gg\";\n  return { items };\n}"}`;
  const { request, auth } = await ofCurl(
    t,
    `curl -X POST -H 'X-RapidAPI-Key: YOUR-KEY' \\
-H 'content-type: application/json' -H 'X-RapidAPI-Host: acme.example' -d '${body}' \\
"https://acme.example/scrape"`,
  );
  assert.deepEqual((request as { body: object }).body, {
    json: {
      url: "{{ inputs.url }}",
      retryNum: "{{ inputs.retry_num }}",
      geo: "{{ inputs.geo }}",
      extractor: "{{ inputs.extractor }}",
    },
  });
  assert.deepEqual(auth, [
    { kind: "api_key", header: "X-RapidAPI-Key", value: "{{ credentials.rapid_api_key }}" },
    { kind: "api_key", header: "X-RapidAPI-Host", value: "{{ credentials.rapid_api_host }}" },
  ]);
});

test("what a desktop client exports comes over with its login, its cookie and its own fields", async (t) => {
  const { request, auth } = await ofCurl(
    t,
    `curl --location --request POST 'https://acme.example/webservice/v1/contracts' \\
--header 'soft: list' \\
--header 'Authorization: Basic NDI6YWIw' \\
--header 'Content-Type: application/json' \\
--header 'Cookie: Session=13j2hu01898jbtn036j5k' \\
--data-raw '{
"qtype":"contract.client",
"query":"1703",
"oper":"="
}'`,
    { fixed: "oper" },
  );
  assert.deepEqual((request as { body: object }).body, {
    json: { qtype: "{{ inputs.qtype }}", query: "{{ inputs.query }}", oper: "=" },
  });
  assert.deepEqual(auth, [
    { kind: "basic", username: "{{ credentials.username }}", password: "{{ credentials.password }}" },
    { kind: "api_key", header: "soft", value: "{{ credentials.soft }}" },
    { kind: "api_key", header: "Cookie", value: "{{ credentials.cookie }}" },
  ]);
});

test("a form of nothing but encoded fields comes over, and what proves who asks is a credential", async (t) => {
  const { request, inputs } = await ofCurl(
    t,
    `curl --location --request POST 'https://acme.example/oauth/v2/introspect' \\
    --header 'Content-Type: application/x-www-form-urlencoded' \\
    --data-urlencode 'token=<TOKEN>' \\
    --data-urlencode 'client_id=<ID>' \\
    --data-urlencode 'client_secret=<Secret>' --data-urlencode 'who=Ada & Sons = 2'`,
  );
  assert.deepEqual((request as { body: object }).body, {
    form: {
      token: "{{ credentials.token }}",
      client_id: "{{ credentials.client_id }}",
      client_secret: "{{ credentials.client_secret }}",
      who: "{{ inputs.who }}",
    },
  });
  assert.deepEqual(inputs.required, ["who"]);
});

test("two secrets of one name stay two", async (t) => {
  const { request, auth } = await ofCurl(
    t,
    "curl -u me:one -H 'X-Password: two' -d 'q=x&password=three' 'https://api.acme.example/find'",
  );
  assert.deepEqual((request as { body: object }).body, {
    form: { q: "{{ inputs.q }}", password: "{{ credentials.password_3 }}" },
  });
  assert.deepEqual(auth, [
    { kind: "basic", username: "{{ credentials.username }}", password: "{{ credentials.password }}" },
    { kind: "api_key", header: "X-Password", value: "{{ credentials.password_2 }}" },
  ]);
});

test("inputs are written as documentation writes them, and examples may be given", async (t) => {
  const { request, cases, stderr } = await ofCurl(
    t,
    'curl "https://api.acme.example/v1/$REGION/companies/:number/officers?since={since}&page=<page>" # shown',
    { set: "number=00000006" },
  );
  assert.deepEqual(request, {
    method: "GET",
    url: "https://api.acme.example/v1/{{ inputs.region }}/companies/{{ inputs.number }}/officers",
    query: { since: "{{ inputs.since }}", page: "{{ inputs.page }}" },
  });
  assert.equal((cases[0]!.inputs as { number: string }).number, "00000006");
  assert.match(
    stderr,
    /Inputs: region, number, since, page\. The path is kept as \/v1\/\{region\}\/companies\/\{number\}\/officers/,
  );
});

const U = "https://api.acme.example/c/{number}";
const REFUSED: readonly (readonly [command: string, says: RegExp])[] = [
  [`curl -F file=@x '${U}'`, /request\.sh:1:6: -F cannot be imported \(a form of several parts/],
  [
    `curl \\\n  --insecure '${U}'`,
    /request\.sh:2:3: --insecure cannot be imported \(certificates of vendors are always verified/,
  ],
  [`curl -k '${U}'`, /1:6: -k cannot be imported/],
  [`curl -d @body.json '${U}'`, /1:9: the body is in another file \(write the body into the command\)/],
  [`curl --data-urlencode name@f '${U}'`, /the body is in another file/],
  [`curl -b jar.txt '${U}'`, /cookies are in another file/],
  [`curl -H @h '${U}'`, /header fields are in another file/],
  [`curl -H 'X-Empty;' '${U}'`, /a header field has no value/],
  [`curl --digest '${U}'`, /--digest cannot be imported/],
  [`curl --no-such '${U}'`, /--no-such is unknown/],
  [`curl -X DELETE '${U}'`, /DELETE cannot be imported/],
  [`curl -X GET -d a=1 '${U}'`, /a GET has no body \(give -G/],
  [`curl -d '{"a":"{b}"}' '${U}'`, /the body is JSON but is sent as a form/],
  [`curl -H 'Content-Type: text/xml' -d '<a/>' '${U}'`, /a body of text\/xml cannot be imported/],
  [`curl https://a.example/?a=1&b=2`, /1:28: the shell ends the command at "&" \(put the address in single quotes\)/],
  [`curl '${U}' | jq .`, /the shell ends the command at "\|"/],
  [`curl -H "X: $(cat key)" '${U}' \n`, /output of another command/],
  [`curl '${U}`, /1:6: a quote is not closed/],
  [`curl '${U}' ^\n -k`, /quoting of Windows/],
  [`curl '${U}'\ncurl '${U}'`, /2:1: something follows the command/],
  [`wget '${U}'`, /this is not a curl command/],
  ["curl -s", /the command has no address/],
  [`curl '${U}' '${U}'`, /the command has a second address/],
  [`curl 'https://{tenant}.acme.example/x'`, /its host is not a plain name/],
  [`curl 'api.acme.example/{x}'`, /address does not begin with https:\/\//],
  [`curl 'https://api.acme.example/{a,b}'`, /curl expands this to several addresses/],
  [`curl -u a:b -H 'Authorization: Bearer c' '${U}'`, /it is authenticated twice/],
  [`curl --proxy http://p.example '${U}'`, /--proxy cannot be imported \(a proxy is a setting/],
];

test("what cannot be imported is refused by its name and place, and nothing is written", async (t) => {
  for (const [command, says] of REFUSED) {
    const { at, make, folder } = importing(t, { "request.sh": command });
    const { code, stderr } = await make({ "from-curl": at("request.sh"), sample: at("reply.json") });
    assert.equal(code, 1, command);
    assert.match(stderr, says, command);
    assert.deepEqual(globSync("sources/**/*.yaml", { cwd: folder }), [], command);
  }
});

test("a command comes from standard input too; the reply without a record is never guessed", async (t) => {
  const { at, make, run, written } = importing(t, {});
  const made = await make({ "from-curl": "-", sample: at("reply.json") }, `curl -u key: '${U}'`);
  assert.equal(made.code, 0, made.stderr);
  assert.match(written(), /kind: basic, username: '\{\{ credentials\.api_key \}\}', password: ''/);
  const { at: there, run: runThere } = importing(t, { "request.sh": `curl '${U}'` });
  const bare = await runThere([
    "source",
    "new",
    "acme__x",
    "--from-curl",
    there("request.sh"),
    "--title",
    "X",
    "--sample",
    there("reply.json"),
  ]);
  assert.equal(bare.code, 2);
  assert.match(
    bare.stderr,
    /give --nobody\. Only the vendor's documentation shows which reply means that nothing was found, so it is never guessed/,
  );
  for (const [options, says] of [
    [["--from-curl", "a", "--from-har", "b"], /Give one of --from-curl, --from-openapi, --from-har and --from-wsdl/],
    [["--entry", "1"], /--entry can be used only with its import/],
    [["--from-curl", there("request.sh"), "--url", U], /--url follows from the import/],
    [["--from-curl", there("request.sh"), "--fixed", "nothing"], /nothing in the request has the name "nothing"/],
  ] as const)
    assert.match((await run(["source", "new", "acme__y", "--title", "X", ...options])).stderr, says);
});

test("a person says which values of a command stay", async (t) => {
  const { at, run, written } = importing(t, { "request.sh": "curl 'https://api.acme.example/find?q=x&format=json'" });
  const answers = ["format", "Company", "", JSON.stringify(REPLY), "", "404", "", ""];
  const made = await run(["source", "new", "acme__company", "--from-curl", at("request.sh")], answers.join("\n"), true);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /Values of the request: q, format\. Which of them are constants/);
  assert.deepEqual((parse(written()) as { request: { query: object } }).request.query, {
    q: "{{ inputs.q }}",
    format: "json",
  });
});

const SECRET = "S3cretPlanted";
/** Every form in which a secret could come out. */
const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString("base64").replaceAll("=", ""),
  Buffer.from(`u:${SECRET}`).toString("base64").replaceAll("=", ""),
  SECRET.toLowerCase(),
];

function assertNowhere(folder: string, imported: readonly string[], output: string, command = ""): void {
  for (const form of FORMS) {
    assert.ok(!output.includes(form), `${command}: the output says ${form}`);
    for (const file of globSync("**/*", { cwd: folder, withFileTypes: true }))
      if (file.isFile() && !imported.includes(file.name))
        assert.ok(
          !readFileSync(join(file.parentPath, file.name), "utf8").includes(form),
          `${command}: ${file.name} says ${form}`,
        );
  }
}

test("a secret in any place of a command comes into no file and no output", async (t) => {
  const places: readonly string[] = [
    `curl -H 'Authorization: Bearer ${SECRET}' '${U}'`,
    `curl -H 'Authorization: ${SECRET}' '${U}'`,
    `curl -H 'Authorization: ApiKey ${SECRET}' '${U}'`,
    `curl -H 'Authorization: Basic ${Buffer.from(`u:${SECRET}`).toString("base64")}' '${U}'`,
    `curl -H 'X-Anything: ${SECRET}' -H 'User-Agent: ${SECRET}' -e ${SECRET} '${U}'`,
    `curl -H 'Accept: ${SECRET}' '${U}'`,
    `curl -b 'sid=${SECRET}' -A ${SECRET} '${U}'`,
    `curl -u 'u:${SECRET}' '${U}'`,
    `curl -u '${SECRET}:' '${U}'`,
    `curl 'https://u:${SECRET}@api.acme.example/c/{number}'`,
    `curl '${U}?api_key=${SECRET}&q=${SECRET}#${SECRET}'`,
    `curl 'https://api.acme.example/c/${SECRET}/{number}'`,
    `curl --json '{"a": "{number}", "password": "${SECRET}", "deep": [{"q": "${SECRET}"}], "l": ["${SECRET}"]}' '${U}'`,
    `curl -d 'a={number}&pin=${SECRET}&q=${SECRET}' '${U}'`,
    `curl --oauth2-bearer ${SECRET} '${U}'`,
    `curl --cookie-jar ${SECRET} -o ${SECRET} '${U}'`,
    `curl --${SECRET} '${U}'`,
    `curl '${U}' ${SECRET}`,
    `curl -d '${SECRET}' -H 'Content-Type: ${SECRET}' '${U}'`,
    `curl -X ${SECRET} '${U}'`,
    `curl --json '{"a": ${SECRET}' '${U}'`,
    `curl 'https://${SECRET}.{x}.example/'`,
  ];
  for (const command of places) {
    const { at, make, folder } = importing(t, { "request.sh": command });
    const sample = JSON.stringify({ ...REPLY, token: SECRET, list: [{ [SECRET]: SECRET }] });
    writeFileSync(at("reply.json"), sample);
    const { stdout, stderr } = await make({ "from-curl": at("request.sh"), sample: at("reply.json") });
    assertNowhere(folder, ["request.sh", "reply.json"], stdout + stderr, command);
  }
});

/** One exchange with a secret wherever a browser would keep one. */
function entry(method: string, url: string, changes: object = {}) {
  return {
    request: {
      method,
      url,
      headers: [
        { name: ":authority", value: "api.acme.example" },
        { name: "cookie", value: `sid=${SECRET}` },
        { name: "authorization", value: `Bearer ${SECRET}` },
        { name: "sec-ch-ua", value: SECRET },
        { name: "x-csrf", value: SECRET },
        { name: "User-Agent", value: SECRET },
        { name: "accept", value: "application/json" },
      ],
      cookies: [{ name: "sid", value: SECRET }],
      queryString: [{ name: "q", value: SECRET }],
      ...changes,
    },
    response: {
      status: 200,
      headers: [{ name: "set-cookie", value: SECRET }],
      content: { mimeType: "application/json", text: JSON.stringify({ ...REPLY, session: SECRET, note: SECRET }) },
    },
  };
}

const har = (...entries: object[]) => JSON.stringify({ log: { version: "1.2", creator: { name: SECRET }, entries } });

test("an entry of an archive comes over with its answer, masked, and no secret of it anywhere", async (t) => {
  const page = entry("GET", `https://www.acme.example/app/${SECRET}?t=${SECRET}`);
  const asked = entry("POST", `https://api.acme.example/v1/companies/12345678?key=${SECRET}&q=${SECRET}`, {
    postData: { mimeType: "application/json", text: JSON.stringify({ name: SECRET, password: SECRET }) },
  });
  const { at, make, run, folder, written } = importing(t, { "log.har": har(page, asked) });
  const without = await make({ "from-har": at("log.har") });
  assert.equal(without.code, 2);
  assert.match(
    without.stderr,
    /has 2 entries: give --entry .*\n {2}1 {2}GET www\.acme\.example\/app\/… \(200\)\n {2}2 {2}POST api\.acme\.example\/v1\/companies\/… \(200\)/,
  );
  const made = await make({ "from-har": at("log.har"), entry: "https://api.acme.example/v1/companies/12345678" });
  assert.equal(made.code, 0, made.stderr);
  assertNowhere(folder, ["log.har"], without.stderr + made.stderr + made.stdout);
  const { request, cases } = parse(written()) as Written;
  assert.deepEqual(request, {
    method: "POST",
    url: "https://api.acme.example/v1/companies/{{ inputs.company_id }}",
    query: { q: "{{ inputs.q }}" },
    body: { json: { name: "{{ inputs.name }}", password: "{{ credentials.password }}" } },
  });
  const { reply } = cases[0] as unknown as { reply: { body: { company: object } } };
  assert.deepEqual(reply.body.company, { number: "12345678", name: "Xxx & Xxxx", state: "XXXXXX" });
  assert.match(made.stderr, /left out.*:authority, sec-ch-ua/);
  assert.equal((await run(["source", "test", "acme__company"])).code, 0);
});

const XML = (inside: string) => `<?xml version="1.0"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<r:Found xmlns:r="urn:register" at="2026-01-02">${inside}</r:Found></soap:Body></soap:Envelope>`;

test("replies in XML become a source that reads XML, masked, with what they repeat as lists", async (t) => {
  const found = XML(
    `<Company id="${SECRET}"><Name>Ada &amp; Sons</Name><State>ACTIVE</State><Owner>${SECRET}</Owner><Owner>Bob</Owner></Company>`,
  );
  const archived = {
    ...entry("GET", `https://api.acme.example/find?name=${SECRET}`),
    response: { status: 200, content: { mimeType: "text/xml", text: found } },
  };
  const files = {
    "log.har": har(archived),
    "ask.sh": `curl 'https://api.acme.example/find?name=${SECRET}'`,
    "found.xml": found,
    "none.xml": XML("<Status>NO_HIT</Status>"),
  };
  for (const [from, nobody] of [
    ["har", "file"],
    ["har", "404"],
    ["curl", "file"],
  ] as const) {
    const { at, make, run, folder, written, path } = importing(t, files);
    const taken =
      from === "har"
        ? { "from-har": at("log.har"), entry: "1" }
        : { "from-curl": at("ask.sh"), sample: at("found.xml") };
    const made = await make({ ...taken, nobody: nobody === "file" ? at("none.xml") : nobody });
    assert.equal(made.code, 0, made.stderr);
    assertNowhere(folder, Object.keys(files), made.stderr + made.stdout);
    const file = parse(written()) as Written & { reply: object; map: object; match: { no_record: string } };
    assert.deepEqual(file.reply, { format: "xml", lists: ["Envelope.Body.Found.Company.Owner"] });
    assert.deepEqual(file.map, {
      id: 'body.Envelope.Body.Found.Company."@id"',
      name: "body.Envelope.Body.Found.Company.Name",
      state: "body.Envelope.Body.Found.Company.State",
      owner: "body.Envelope.Body.Found.Company.Owner",
    });
    if (nobody === "file") assert.match(file.match.no_record, /Found\.Status == 'NO_HIT'/);
    assert.match(made.stderr, /which elements are lists: name an element in reply\.lists/);
    assert.equal((await run(["source", "test", "acme__company"])).code, 0);
    writeFileSync(path, written().replace("Company.Name", "Company.Nane"));
    assert.equal((await run(["source", "test", "acme__company"])).code, 1);
  }
});

test("a sample that is no XML, or of another kind than the reply without a record, is refused", async (t) => {
  const { at, make } = importing(t, {
    "ask.sh": "curl https://a.example/f?q=1",
    "cut.xml": "<a><b></a>",
    "found.xml": XML("<A>x</A>"),
  });
  const says = async (options: Record<string, string>) =>
    (await make({ "from-curl": at("ask.sh"), ...options })).stderr;
  assert.match(await says({ sample: at("cut.xml") }), /The sample \S*cut\.xml is not XML that can be read \(/);
  assert.match(await says({ sample: at("found.xml"), nobody: at("reply.json") }), /must both be JSON, or both XML/);
});

test("what an archive lacks, or has of another kind, is said with its entry", async (t) => {
  const image = {
    ...entry("GET", U),
    response: { status: 200, content: { mimeType: "image/png", text: "iVBO", encoding: "base64" } },
  };
  const empty = { ...entry("GET", U), response: { status: 200, content: {} } };
  const lost = { ...entry("GET", U), response: { status: 404, content: { text: "{}" } } };
  const upload = entry("POST", U, { postData: { mimeType: "multipart/form-data; boundary=x", text: SECRET } });
  const { at, make } = importing(t, {
    "log.har": har(image, empty, upload, lost),
    "no.har": "{}",
    "cut.har": '{"log":\n[',
  });
  const says = async (file: string, number: string) => (await make({ "from-har": at(file), entry: number })).stderr;
  assert.match(await says("log.har", "1"), /log\.har, entry 1: its reply is neither JSON nor XML \(give --sample/);
  assert.match(await says("log.har", "2"), /entry 2: its reply was not saved \(save the archive with content/);
  assert.match(await says("log.har", "3"), /entry 3: a form of several parts cannot be written in YAML/);
  assert.match(await says("log.har", "4"), /entry 4: its reply is not a success \(take an entry that found a record/);
  assert.match(await says("log.har", "9"), /No entry of the archive matches --entry/);
  assert.match(await says("log.har", U), /4 entries of the archive have that address/);
  assert.match(await says("no.har", "1"), /it is not an HTTP archive/);
  assert.match(await says("cut.har", "1"), /cut\.har: it is not JSON \(line 2, column 2\)/);
});

test("a wrong letter in a path, a parameter, a member, a header field or a login fails the cases of a new source", async (t) => {
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "a query": { "from-curl": "query.sh" },
    "a body": { "from-curl": "body.sh" },
    "a form": { "from-curl": "form.sh" },
    "a document": { "from-openapi": "api.yaml#searchCompanies" },
    "what was typed": { url: "https://api.acme.example/find/{number}?name={name}", auth: "header:X-Api-Key" },
    "a login": {
      url: "https://api.acme.example/find?name={name}",
      auth: "oauth2_password:https://login.acme.example/token",
    },
  };
  for (const [kind, options] of Object.entries(kinds)) {
    const { at, make, run, path, written } = importing(t, {
      "query.sh": "curl 'https://api.acme.example/find/{number}/names?name=Ada&api_key=k&exact=true'",
      "body.sh": `curl --json '{"who": {"name": "Ada", "born": "2001-02-03"}, "list": [1]}' -H 'X-Tenant: t' 'https://api.acme.example/find'`,
      "form.sh": "curl -d 'name=Ada&pin=9' -u key:pw 'https://api.acme.example/find'",
      "api.yaml": REGISTER,
    });
    const [name, value] = Object.entries(options)[0]!;
    const given = name.startsWith("from-") ? { [name]: at(value) } : options;
    const made = await make({ ...given, sample: at("reply.json") });
    assert.equal(made.code, 0, made.stderr);
    const original = written();
    const mutants = mutantsOf(original);
    assert.ok(mutants.length >= 3, kind);
    for (const [what, text] of mutants) {
      writeFileSync(path, text);
      const { code, stdout } = await run(["source", "test", "acme__company", "--case", "found"]);
      assert.equal(code, 1, `${kind}: ${what} is changed and nothing fails\n${stdout}`);
    }
  }
});

/** The file with one letter changed at each place of its request and its login that a vendor can see. */
function mutantsOf(text: string): (readonly [what: string, text: string])[] {
  const mutants: (readonly [string, string])[] = [];
  const change = (range: readonly number[] | null | undefined, written: string) => {
    const letter = written
      .replaceAll(/\{\{[^}]*\}\}/g, (template) => " ".repeat(template.length))
      .search(/[a-z](?=[^a-z]*$)/);
    if (letter === -1 || !range) return;
    const at = text.indexOf(written, range[0]) + letter;
    mutants.push([written, `${text.slice(0, at)}${text[at] === "q" ? "z" : "q"}${text.slice(at + 1)}`]);
  };
  visit(parseDocument(text), {
    Pair(_, { key, value }, above) {
      const holder = above.flatMap((node) => ("key" in node && isScalar(node.key) ? [String(node.key.value)] : []));
      const [top] = holder;
      if ((top !== "request" && top !== "auth") || !isScalar(key)) return;
      const isNamed = ["query", "headers", "json", "form"].some((name) => holder.includes(name));
      if (isNamed) change(key.range, String(key.value));
      const isSeen = isNamed || ["url", "header", "query"].includes(String(key.value));
      if (isSeen && isScalar(value) && typeof value.value === "string" && !value.value.startsWith("https://login"))
        change(value.range, value.value);
    },
  });
  return mutants;
}

/** An operation of the register's document, as the source that came of it. */
async function ofOperation(t: TestContext, operation: string, options: Readonly<Record<string, string>> = {}) {
  const { at, make, run, written } = importing(t, { "api.yaml": REGISTER });
  const made = await make({ "from-openapi": `${at("api.yaml")}#${operation}`, ...options });
  assert.equal(made.code, 0, made.stderr);
  const tested = await run(["source", "test", "acme__company"]);
  assert.equal(tested.code, 0, tested.stdout);
  return { ...(parse(written()) as Written), text: written(), stderr: made.stderr, tested: tested.stdout };
}

test("an operation of a document becomes a tested source: parameters of both places, login, server, answer", async (t) => {
  const { at, run, written } = importing(t, { "api.yaml": REGISTER });
  const made = await run([
    "source",
    "new",
    "acme__company",
    "--from-openapi",
    `${at("api.yaml")}#getCompany`,
    "--nobody",
    "404",
  ]);
  assert.equal(made.code, 0, made.stderr);
  const file = parse(written()) as Written & Record<string, unknown>;
  assert.deepEqual(
    [file["title"], file["description"], file["docs"]],
    [
      "One company of the register",
      "Everything that the register knows of it.",
      "https://register.example/docs/company",
    ],
  );
  assert.deepEqual(file.inputs, {
    type: "object",
    required: ["company_number", "x_purpose"],
    properties: {
      company_number: { type: "string", pattern: "^[0-9]{8}$", description: "Eight digits" },
      lang: {
        type: "string",
        enum: ["en", "de"],
        description: 'Language of names. The vendor uses "en" if it is left out.',
      },
      fields: { type: "array", items: { type: "string" } },
      tag: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      x_purpose: { type: "string", enum: ["credit", "employment"] },
    },
  });
  assert.deepEqual(file.request, {
    method: "GET",
    url: "https://api.register.example/v2/companies/{{ inputs.company_number }}",
    query: { lang: "{{ inputs.lang }}", fields: "{{ inputs.fields | join(',') }}", tag: "{{ inputs.tag }}" },
    headers: { "X-Purpose": "{{ inputs.x_purpose }}" },
  });
  assert.deepEqual(file["origins"], ["https://api.register.example", "https://login.register.example"]);
  assert.equal((file.auth as { kind: string }).kind, "token_exchange");
  assert.match(written(), /body: \{form: \{grant_type: client_credentials, scope: companies\.read\}\}/);
  const { properties } = file["output"] as { properties: Record<string, object> };
  assert.deepEqual(properties["name"], { type: "string", description: "Its registered name" });
  assert.match(written(), /state: ACTIVE/, "a word that the document allows is no data");
  assert.doesNotMatch(written(), /Marine/);
  assert.match(
    made.stderr,
    /region of the server is "api".*\n.*first of 2 servers.*\n.*Accept is left out.*\n.*Of oauth, key it authenticates by oauth/,
  );
  const tested = await run(["source", "test", "acme__company"]);
  assert.match(tested.stdout, /ok {5}the credential is rejected \(401\) \(standard\)[^]*all passed\n$/);
});

test("a body's members are inputs, nested ones too; what can have one value has it, and what is read only is not asked", async (t) => {
  const { request, inputs, stderr } = await ofOperation(t, "searchCompanies");
  assert.deepEqual(request, {
    method: "POST",
    url: "https://api.register.example/v2/search",
    body: {
      json: {
        name: "{{ inputs.name }}",
        kind: "company",
        born: "{{ inputs.born }}",
        address: { postCode: "{{ inputs.post_code }}", country: "{{ inputs.country }}" },
        page: "{{ inputs.page }}",
        filter: "{{ inputs.filter }}",
      },
    },
  });
  assert.deepEqual(inputs.required, ["name"]);
  assert.deepEqual(inputs.properties["born"], { type: ["string", "null"], format: "date" });
  assert.deepEqual(inputs.properties["page"], { type: "integer", exclusiveMinimum: 0, format: "int32" });
  assert.match(stderr, /Success is described as 2XX/);
  assert.match(stderr, /no example of the reply: the sample is derived from its schema/);
  const form = await ofOperation(t, "askByForm");
  assert.deepEqual((form.request as { body: object }).body, { form: { name: "{{ inputs.name }}" } });
  assert.equal(form.auth, undefined);
  assert.match(form.text, /record: status == `201` && body\.a\n[^]*reply: \{status: 201, body: \{a: x\}\}/);
});

test("a key that a document lists as a parameter is a field of the credential, and its examples stay in the document", async (t) => {
  const { at, make, folder, written } = importing(t, { "api.yaml": REGISTER });
  const made = await make({ "from-openapi": `${at("api.yaml")}#askWithKeys` });
  assert.equal(made.code, 0, made.stderr);
  assertNowhere(folder, ["api.yaml"], made.stdout + made.stderr);
  const { request, auth } = parse(written()) as Written;
  assert.deepEqual(auth, [
    { kind: "api_key", header: "X-Api-Key", value: "{{ credentials.api_key }}" },
    { kind: "api_key", query: "access_token", value: "{{ credentials.access_token }}" },
  ]);
  assert.deepEqual(request, {
    method: "POST",
    url: "https://api.register.example/v2/keys",
    query: { page_token: "{{ inputs.page_token }}" },
    body: { json: { user: "{{ inputs.user }}", pass: "{{ credentials.pass }}" } },
  });
  assert.match(made.stderr, /access_token is access_token of the credential\.\npass is pass of the credential\./);
});

test("a login that a document describes only as a header field comes over, and one that a scheme describes is not doubled", async (t) => {
  const document = (told: string, more: string) => `openapi: 3.1.0
info: {title: Businesses, version: '1'}
servers: [{url: 'https://api.acme.example'}]${more}
paths:
  /b/{id}:
    get:
      operationId: get
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}, example: b1}
        - {name: Authorization, in: header, required: true, description: ${told}, schema: {type: string}}
      responses: {'200': {description: found, content: {application/json: {example: {name: Ada}}}}}
`;
  const scheme =
    "\nsecurity: [{key: []}]\ncomponents: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}";
  for (const [told, more, auth] of [
    ["Bearer authentication", "", { kind: "bearer", token: "{{ credentials.token }}" }],
    [
      "Basic, the key as the user",
      "",
      { kind: "basic", username: "{{ credentials.username }}", password: "{{ credentials.password }}" },
    ],
    ["Your key", "", { kind: "api_key", header: "Authorization", value: "{{ credentials.api_key }}" }],
    ["Bearer authentication", scheme, { kind: "api_key", header: "X-Key", value: "{{ credentials.x_key }}" }],
  ] as const) {
    const { at, run, written } = importing(t, { "api.yaml": document(told, more) });
    const made = await run([
      "source",
      "new",
      "acme__company",
      "--from-openapi",
      `${at("api.yaml")}#get`,
      "--nobody",
      "404",
    ]);
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual((parse(written()) as Written).auth, auth, told);
    assert.equal(/described as a header field Authorization/.test(made.stderr), more === "");
    assert.equal((await run(["source", "test", "acme__company"])).code, 0);
  }
});

test("what a document says and no file can is refused with its line, its column and what to do", async (t) => {
  const { at, make, run } = importing(t, {
    "api.yaml": REGISTER,
    "old.yaml": "swagger: '1.2'\npaths: {}\n",
    "cut.yaml": "openapi: 3.0.3\npaths: {a: [\n",
    "bare.json": '{"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {}}}}}',
    "none.json": '{"openapi": "3.1.0", "paths": {}}',
  });
  const line = (text: string) => REGISTER.split("\n").findIndex((one) => one.includes(text)) + 1;
  const says = async (operation: string) =>
    (await make({ "from-openapi": at(operation), sample: at("reply.json") })).stderr;
  const cases: readonly (readonly [operation: string, says: RegExp])[] = [
    [
      "byPerson",
      new RegExp(`api\\.yaml:${line("    person:")}:5: this login needs a person with a browser \\(use --auth`),
    ],
    [
      "forget",
      /:\d+:5: DELETE cannot be imported \(a draft can use GET, POST, PUT or PATCH; write any other method into the file by hand\)/,
    ],
    ["upload", new RegExp(`:${line("multipart")}:\\d+: a body of multipart/form-data cannot be imported`)],
    ["recursive", /: this schema contains itself \(write this input by hand\)/],
    [
      "deep",
      new RegExp(`:${line("deepObject")}:\\d+: the parameter filter is serialized in a way that a file cannot express`),
    ],
    ["reserved", new RegExp(`:${line("allowReserved")}:\\d+: the parameter raw must be sent without encoding`)],
    ["getWithBody", /: a GET has no body \(remove it from the document\)/],
    [
      "elsewhere",
      new RegExp(`:${line("common.yaml")}:\\d+: it refers to another file \\(put everything into one file first`),
    ],
    ["getCompny", /there is no operation "getCompny" \(Did you mean getCompany\?\)/],
    ["", /say which operation \(give \S+#operationId; its operations are getWithBody, getCompany, searchCompanies/],
  ];
  for (const [operation, expected] of cases) assert.match(await says(`api.yaml#${operation}`), expected, operation);
  assert.match(await says("old.yaml#x"), /old\.yaml:1:1: this is neither OpenAPI 3\.0, 3\.1 or 3\.2 nor Swagger 2\.0/);
  assert.match(await says("cut.yaml#x"), /cut\.yaml:\d+:\d+: this is neither YAML nor JSON: [A-Z][a-z]+ /);
  assert.match(await says("none.json#x"), /there is no operation "x" \(it has no operations\)/);
  assert.match(await says("bare.json#GET /a"), /bare\.json:1:\d+: the document names no server/);
  const own = await run([
    "source",
    "new",
    "acme__own",
    "--from-openapi",
    `${at("api.yaml")}#byPerson`,
    "--auth",
    "bearer",
    "--sample",
    at("reply.json"),
    "--nobody",
    "404",
  ]);
  assert.match(own.stderr, /the request has no input/);
});

test("a draft takes a list for the record and not what every reply has, says so, and tries the empty list", async (t) => {
  const document = `swagger: '2.0'
info: {title: Matching, version: '1'}
host: api.acme.example
paths:
  /match:
    get:
      operationId: match
      parameters: [{name: name, in: query, required: true, type: string}]
      responses:
        '200':
          description: candidates
          schema:
            type: object
            properties:
              transactionDetail: {type: object, properties: {transactionID: {type: string}}}
              inquiryDetail: {type: object, properties: {name: {type: string}}}
              candidatesMatchedQuantity: {type: integer}
              matchCandidates: {type: array, items: {type: object, properties: {duns: {type: string}}}}
`;
  const { at, make, run, written } = importing(t, { "api.yaml": document });
  const made = await make({ "from-openapi": `${at("api.yaml")}#match` });
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stderr,
    /^The record is guessed to be the list body\.matchCandidates, recognised by body\.matchCandidates; an empty list means no record: compare .*$/m,
  );
  const file = parse(written()) as Written & { match: Record<string, string>; map: object };
  assert.equal(file.match["record"], "status == `200` && body.matchCandidates");
  assert.deepEqual(file.map, { match_candidates: "body.matchCandidates" });
  const tested = await run(["source", "test", "acme__company"]);
  assert.match(tested.stdout, /ok {5}nobody\n {2}ok {5}the list is empty\n[^]*all passed\n$/);
});

test("a login takes the place of a temporary token that a command shows, and of no other key", async (t) => {
  const bearer = "curl -H 'Authorization: Bearer eyJ.S3cretPlanted' 'https://api.acme.example/find?name=Ada'";
  const login = { auth: "oauth2:https://login.acme.example/token" };
  const { auth, stderr } = await ofCurl(t, bearer, login);
  assert.equal((auth as { kind: string }).kind, "token_exchange");
  assert.match(stderr, /bearer token of the request is assumed to be temporary/);
  for (const [command, options] of [
    [bearer.replace("Bearer eyJ", "Basic dXNlcjpw"), login],
    [bearer, { auth: "header:X-Key" }],
  ] as const) {
    const { at, make } = importing(t, { "request.sh": command });
    const made = await make({ "from-curl": at("request.sh"), sample: at("reply.json"), ...options });
    assert.match(
      made.stderr,
      /the request already contains its authentication \(leave out --auth; only a bearer token/,
    );
  }
});

const WSDL = readFileSync(new URL("register.wsdl", import.meta.url), "utf8");
const NOBODY =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FindCompanyResponse/></s:Body></s:Envelope>';

test("an operation of a WSDL document becomes a source with an envelope, typed inputs, lists and faults", async (t) => {
  const { at, run, written, path } = importing(t, { "register.wsdl": WSDL, "nobody.xml": NOBODY });
  const words = ["source", "new", "acme__company", "--from-wsdl", at("register.wsdl"), "--operation", "FindCompany"];
  const made = await run([
    ...words,
    "--nobody",
    at("nobody.xml"),
    "--charge",
    "per_match",
    "--set",
    "town=Example Town",
  ]);
  assert.equal(made.code, 0, made.stderr);
  const tested = await run(["source", "test", "acme__company"]);
  assert.equal(tested.code, 0, tested.stdout);
  const source = parse(written()) as Written & {
    reply: object;
    errors: { when: object; kind: string }[];
    title: string;
  };
  assert.equal(source.title, "Find Company");
  assert.deepEqual(source.inputs.required, ["company_number", "detailed"]);
  const { company_number: number, lang, years, detailed } = source.inputs.properties;
  assert.deepEqual(
    [number, lang, years, detailed],
    [
      {
        type: "string",
        minLength: 1,
        maxLength: 200,
        pattern: "^(?:[0-9]{8})$",
        description: "Number in the register.",
      },
      { enum: ["en", "de"] },
      { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 100 },
      { type: "boolean" },
    ],
  );
  const [found] = source.cases as unknown as { request: { headers: object; body: string } }[];
  assert.deepEqual(found!.request.headers, {
    soapaction: '"urn:example:register/FindCompany"',
    "content-type": "text/xml; charset=utf-8",
  });
  assert.match(
    found!.request.body,
    /<soap:Envelope xmlns:soap="http:\/\/schemas\.xmlsoap\.org\/soap\/envelope\/" xmlns:n1="urn:example:register"><soap:Body><n1:FindCompany lang="en">.*<n1:Address><Street>[^<]+<\/Street><Town>Example Town<\/Town>/,
  );
  assert.deepEqual(source.reply, { format: "xml", lists: ["Envelope.Body.FindCompanyResponse.Company.Officer"] });
  assert.deepEqual(
    source.errors.map(({ kind }) => kind),
    ["input", "input", "vendor_5xx"],
  );
  assert.match(made.stderr, /Parent is of a type that contains itself/);
  assert.equal(existsSync(path), true);
});

test("a WSDL document for SOAP 1.2 becomes its media type and its fault codes", async (t) => {
  const text = WSDL.replaceAll("<soap:", "<soap12:");
  const { at, run, written } = importing(t, { "register.wsdl": text, "nobody.xml": NOBODY });
  const words = ["source", "new", "acme__company", "--from-wsdl", at("register.wsdl"), "--operation", "FindCompany"];
  const made = await run([...words, "--nobody", at("nobody.xml")]);
  assert.equal(made.code, 0, made.stderr);
  const { request, errors } = parse(written()) as { request: { headers?: object; body: object }; errors: object[] };
  assert.equal(request.headers, undefined);
  assert.equal(
    (request.body as { content_type: string }).content_type,
    'application/soap+xml; charset=utf-8; action="urn:example:register/FindCompany"',
  );
  assert.match(JSON.stringify(errors), /Fault\.Detail\.UnknownNumber.*Fault\.Code\.Value\), 'Sender'/);
});

test("a WSDL document that cannot be imported is refused with its place and what to do", async (t) => {
  const fault = NOBODY.replace("<FindCompanyResponse/>", "<s:Fault><faultcode>s:Client</faultcode></s:Fault>");
  const external = '<s:import namespace="urn:other" schemaLocation="types.xsd"/>';
  const types = '<s:import namespace="urn:example:types"/>';
  for (const [text, operation, says, nobody = NOBODY] of [
    [WSDL, "FindCompny", /register\.wsdl:\d+:\d+: there is no operation "FindCompny" .*FindCompany/],
    [WSDL, "Encoded", /register\.wsdl:\d+:\d+: its use is encoded/],
    [WSDL, "Rpc", /register\.wsdl:\d+:\d+: its style is rpc/],
    [WSDL, "", /several operations.*FindCompany, Encoded, Rpc/],
    [
      WSDL.replace(types, external),
      "FindCompany",
      /register\.wsdl:5:\d+: types are in another file, types\.xsd .*singleWsdl/,
    ],
    [
      WSDL.replaceAll('tns:FindCompany"', 'tns:Other"'),
      "FindCompany",
      /the element tns:Other of the message FindCompanySoapIn is not/,
    ],
    [
      WSDL.replace('element="tns:FindCompany"', 'type="s:string"'),
      "FindCompany",
      /message FindCompanySoapIn is not one element/,
    ],
    ["<a/>", "FindCompany", /not a WSDL document \(the root of one is definitions\)/],
    ["<!DOCTYPE a><a/>", "FindCompany", /document type declaration/],
    [WSDL, "FindCompany", /--nobody is a fault/, fault],
  ] as const) {
    const { at, run } = importing(t, { "register.wsdl": text, "nobody.xml": nobody });
    const words = ["source", "new", "acme__company", "--from-wsdl", at("register.wsdl"), "--nobody", at("nobody.xml")];
    const made = await run(operation === "" ? words : [...words, "--operation", operation]);
    assert.notEqual(made.code, 0);
    assert.match(made.stderr, says);
  }
});
