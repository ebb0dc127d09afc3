import type { Json, JsonObject } from "../../terms/json/json.ts";
import { didYouMean } from "../../terms/text/nearest.ts";
import { XmlProblem } from "../../terms/xml/parse-xml.ts";
import { readXml } from "../../terms/xml/read-xml.ts";
import { draftAuth } from "../draft-auth.ts";
import { snakeCase, type DraftInput } from "../draft-request.ts";
import { exampleFor } from "../example-values.ts";
import type { ImportChoices, Imported } from "./imported.ts";
import { ImportProblem, locationIn } from "./import-problem.ts";
import { EXAMPLE_TEXT } from "./openapi-schema.ts";
import {
  attributeOf,
  childrenOf,
  documentationOf,
  resolveName,
  withPrefixes,
  XmlSchemas,
  type XmlField,
} from "./xml-schema.ts";

/** What differs between the versions of SOAP. */
const SOAP = {
  "1.1": {
    wsdl: "http://schemas.xmlsoap.org/wsdl/soap/",
    envelope: "http://schemas.xmlsoap.org/soap/envelope/",
    code: "faultcode",
    detail: "detail",
    sender: "Client",
    fault: (detail: Json) => ({ faultcode: "soap:Client", faultstring: EXAMPLE_TEXT, detail }),
  },
  "1.2": {
    wsdl: "http://schemas.xmlsoap.org/wsdl/soap12/",
    envelope: "http://www.w3.org/2003/05/soap-envelope",
    code: "Code.Value",
    detail: "Detail",
    sender: "Sender",
    fault: (detail: Json) => ({ Code: { Value: "soap:Sender" }, Reason: { Text: EXAMPLE_TEXT }, Detail: detail }),
  },
} as const;

type SoapVersion = keyof typeof SOAP;

/** An operation as a SOAP binding offers it. */
interface BoundOperation {
  readonly name: string;
  readonly version: SoapVersion;
  readonly address: string;
  readonly binding: JsonObject;
  readonly bound: JsonObject;
}

/**
 * Reads one operation of a WSDL 1.1 document with document style and literal use: the envelope with its inputs, the
 * reply as a sample, and faults as errors. @throws ImportProblem
 */
export function readWsdl(
  text: string,
  file: string,
  named: string | undefined,
  auth: string | undefined,
  choices: ImportChoices,
): Imported {
  const definitions = definitionsIn(text, file);
  const refuse = (part: string, problem: string, instead?: string): never => {
    const at = text.search(new RegExp(part));
    throw new ImportProblem(at < 0 ? file : locationIn(file, text, at), problem, instead);
  };
  assertComplete(definitions, refuse);
  const found = chooseOperation(operationsOf(definitions, text), named, refuse);
  const { version, bound, binding, address, name } = found;
  assertLiteral(found, refuse);
  const portOperation = childrenOf(definitions, "portType")
    .filter((type) => attributeOf(type, "name") === localName(attributeOf(binding, "type")))
    .flatMap((type) => childrenOf(type, "operation"))
    .find((operation) => attributeOf(operation, "name") === name);
  if (portOperation === undefined) return refuse(`name="${name}"`, `no portType has the operation ${name}`);
  const schemas = new XmlSchemas(definitions);
  const elementOf = (holder: JsonObject | undefined): XmlField => {
    const message = localName(attributeOf(holder ?? {}, "message"));
    const described = childrenOf(definitions, "message").find((one) => attributeOf(one, "name") === message);
    const parts = childrenOf(described ?? {}, "part");
    const part =
      parts.length > 1 ? parts.find((one) => /^(?:parameters|body)$/i.test(attributeOf(one, "name") ?? "")) : parts[0];
    const written = attributeOf(part ?? {}, "element");
    const where = `<[^>]*message[^>]*name="${message}"`;
    if (part === undefined || written === undefined)
      return refuse(where, `the message ${message} is not one element`, "only document/literal can be imported");
    const element = schemas.element(written, [part, described!, definitions]);
    return (
      element ?? refuse(where, `the element ${written} of the message ${message} is not in the document`, COMPLETE)
    );
  };
  const [input, output] = ["input", "output"].map((kind) => elementOf(childrenOf(portOperation, kind)[0]));
  const faults = childrenOf(portOperation, "fault").map(elementOf);
  const request = new RequestDraft(choices);
  const body = request.bodyOf(input!);
  const { envelope } = SOAP[version];
  const action = attributeOf(childrenOf(bound, "operation")[0] ?? {}, "soapAction") ?? "";
  const xml = {
    "soap:Envelope": {
      "@xmlns:soap": envelope,
      ...request.declarations(),
      "soap:Body": { [request.nameOf(input!)]: body },
    },
  };
  const words = new Set([EXAMPLE_TEXT]);
  const drafted = draftAuth(auth?.trim() ?? "none");
  return {
    title: name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2"),
    description: documentationOf(portOperation),
    request: {
      method: "POST",
      address,
      query: {},
      headers: version === "1.1" ? { SOAPAction: `"${action}"` } : {},
      body:
        version === "1.1"
          ? { xml }
          : { xml, content_type: `application/soap+xml; charset=utf-8${action === "" ? "" : `; action="${action}"`}` },
      inputs: request.inputs,
    },
    auth: drafted,
    sample: { Envelope: { Body: { [output!.name]: sampleOf(output!, words) } } },
    format: "xml",
    words,
    describe: (steps) => describedIn(output!, steps),
    errors: errorsOf(faults, version, words),
    notes: [
      "The document has no example of the reply: the sample is derived from its schema.",
      ...(faults.length === 0 ? [] : ["Compare the kind of each row of errors with the documentation."]),
      ...(auth === undefined
        ? ["A WSDL document does not describe credentials: give --auth, or add auth to the file."]
        : []),
      ...(childrenOf(bound, "input").some((node) => childrenOf(node, "header").length > 0)
        ? ["The operation has SOAP headers, which were left out."]
        : []),
      ...schemas.notes,
      ...request.notes,
    ],
  };
}

type Refuse = (part: string, problem: string, instead?: string) => never;

const COMPLETE = "save the complete document, which many servers offer as ?singleWsdl, or copy the other file into it";

function definitionsIn(text: string, file: string): JsonObject {
  let document: JsonObject;
  try {
    document = readXml(Buffer.from(withPrefixes(text)), []) as JsonObject;
  } catch (error) {
    if (error instanceof XmlProblem) throw new ImportProblem(file, `it cannot be read as XML: ${error.message}`);
    throw error;
  }
  if (Object.hasOwn(document, "description"))
    throw new ImportProblem(file, "WSDL 2.0 cannot be imported", "ask the vendor for WSDL 1.1");
  const [definitions] = childrenOf(document, "definitions");
  if (definitions === undefined) throw new ImportProblem(file, "it is not a WSDL document", "its root is definitions");
  return definitions;
}

function assertComplete(definitions: JsonObject, refuse: Refuse): void {
  const [imported] = childrenOf(definitions, "import");
  if (imported !== undefined)
    refuse(
      "<(?:\\w+:)?import[\\s>]",
      `a part is in another file, ${attributeOf(imported, "location") ?? ""}`,
      COMPLETE,
    );
  const schemas = childrenOf(definitions, "types").flatMap((types) => childrenOf(types, "schema"));
  const inside = new Set(schemas.map((schema) => attributeOf(schema, "targetNamespace")));
  for (const schema of schemas) {
    for (const kind of ["import", "include"]) {
      for (const node of childrenOf(schema, kind)) {
        const location = attributeOf(node, "schemaLocation");
        if (location === undefined || (kind === "import" && inside.has(attributeOf(node, "namespace")))) continue;
        refuse(`<(?:\\w+:)?${kind}\\s[^>]*schemaLocation`, `types are in another file, ${location}`, COMPLETE);
      }
    }
  }
}

function operationsOf(definitions: JsonObject, text: string): BoundOperation[] {
  return childrenOf(definitions, "service").flatMap((service) =>
    childrenOf(service, "port").flatMap((port) => {
      const bindingName = localName(attributeOf(port, "binding"));
      const address = attributeOf(childrenOf(port, "address")[0] ?? {}, "location") ?? "";
      const version = versionOf(bindingName, definitions, text);
      const binding = childrenOf(definitions, "binding").find((one) => attributeOf(one, "name") === bindingName);
      if (binding === undefined || version === null) return [];
      return childrenOf(binding, "operation").map((bound) => ({
        name: attributeOf(bound, "name") ?? "",
        version,
        address,
        binding,
        bound,
      }));
    }),
  );
}

/** The version of a binding, by the namespace of the element within it; `null` if it is not SOAP. */
function versionOf(binding: string, definitions: JsonObject, text: string): SoapVersion | null {
  const start = text.search(new RegExp(`<(?:[\\w.-]+:)?binding\\s[^>]*name=["']${escaped(binding)}["']`));
  const [, prefix, declared] =
    /<(?:([\w.-]+):)?binding\s(?![^>]*name=)[^>]*?(?:xmlns(?::\1)?=["']([^"']+)["'][^>]*)?>/.exec(text.slice(start)) ??
    [];
  const { namespace } = resolveName(`${prefix}:x`, [definitions]);
  return (
    (Object.keys(SOAP) as SoapVersion[]).find((version) => [declared, namespace].includes(SOAP[version].wsdl)) ?? null
  );
}

function chooseOperation(
  operations: readonly BoundOperation[],
  named: string | undefined,
  refuse: Refuse,
): BoundOperation {
  const names = [...new Set(operations.map(({ name }) => name))];
  if (names.length === 0) refuse("<(?:\\w+:)?service", "no service of the document offers SOAP over HTTP");
  const wanted = named ?? (names.length === 1 ? names[0] : undefined);
  const list = `operations are ${names.join(", ")}`;
  if (wanted === undefined)
    return refuse("<(?:\\w+:)?portType", "it has several operations: name one with --operation", list);
  const found = operations.find(({ name }) => name === wanted);
  return found ?? refuse("<(?:\\w+:)?portType", `there is no operation "${wanted}"`, didYouMean(wanted, names) ?? list);
}

function assertLiteral({ binding, bound, name }: BoundOperation, refuse: Refuse): void {
  const where = `<(?:\\w+:)?operation[^>]*name="${escaped(name)}"`;
  const [bindingStyle, ownStyle] = [childrenOf(binding, "binding")[0], childrenOf(bound, "operation")[0]].map((node) =>
    attributeOf(node ?? {}, "style"),
  );
  const bodies = ["input", "output"]
    .flatMap((kind) => childrenOf(bound, kind))
    .flatMap((node) => childrenOf(node, "body"));
  if (bodies.some((node) => attributeOf(node, "use") === "encoded"))
    refuse(where, "its use is encoded", "only document/literal can be imported: write the envelope by hand");
  if ((ownStyle ?? bindingStyle) === "rpc")
    refuse(where, "its style is rpc", "only document/literal can be imported: write the envelope by hand");
}

/** The content of the request, with inputs for its values. */
class RequestDraft {
  readonly inputs: DraftInput[] = [];
  readonly notes: string[] = [];
  readonly #choices: ImportChoices;
  readonly #prefixes = new Map<string, string>();

  constructor(choices: ImportChoices) {
    this.#choices = choices;
  }

  nameOf({ name, namespace }: XmlField): string {
    if (namespace === "" || name.startsWith("@") || name === "#text") return name;
    if (!this.#prefixes.has(namespace)) this.#prefixes.set(namespace, `n${this.#prefixes.size + 1}`);
    return `${this.#prefixes.get(namespace)}:${name}`;
  }

  declarations(): JsonObject {
    return Object.fromEntries([...this.#prefixes].map(([namespace, prefix]) => [`@xmlns:${prefix}`, namespace]));
  }

  bodyOf(field: XmlField, parents: readonly string[] = [], isRequired = true): Json {
    // The element that is named first gets the first prefix.
    this.nameOf(field);
    const { content } = field;
    if ("fields" in content) {
      if (field.isList) this.notes.push(`${field.name} can occur several times. The request has one of them.`);
      const below = parents.length === 0 && this.inputs.length === 0 ? [""] : [...parents, field.name];
      const members = content.fields.map(
        (inner) => [this.nameOf(inner), this.bodyOf(inner, below, isRequired && inner.isRequired)] as const,
      );
      return members.length === 0 ? "" : Object.fromEntries(members);
    }
    const { schema } = content;
    if (typeof schema["const"] === "string") return schema["const"];
    const name = this.#freeName(field.name, parents);
    const described = field.description === undefined ? schema : { ...schema, description: field.description };
    const examples = this.#choices.examples;
    this.inputs.push({
      name,
      schema: field.isList ? { type: "array", items: described, minItems: 1, maxItems: 100 } : described,
      required: isRequired,
      ...(Object.hasOwn(examples, name) ? { example: examples[name]! } : {}),
    });
    return `{{ inputs.${name} }}`;
  }

  #freeName(written: string, parents: readonly string[]): string {
    const own = written === "#text" ? (parents.at(-1) ?? "value") : written;
    const plain = snakeCase(own) || "value";
    const longer = snakeCase([...parents, own].join("_")) || plain;
    const taken = new Set(this.inputs.map(({ name }) => name));
    const free = [plain, longer].find((name) => !taken.has(name) && /^[a-z]/.test(name));
    if (free !== undefined) return free;
    for (let count = 2; ; count += 1) if (!taken.has(`input_${plain}_${count}`)) return `input_${plain}_${count}`;
  }
}

/** A reply of this form, in the form in which rules see XML. An element that can repeat is a list. */
function sampleOf({ content, isList }: XmlField, words: Set<string>): Json {
  const one = "fields" in content ? sampleOfFields(content.fields, words) : sampleText(content.schema, words);
  return isList ? [one] : one;
}

function sampleOfFields(fields: readonly XmlField[], words: Set<string>): Json {
  return fields.length === 0 ? "" : Object.fromEntries(fields.map((field) => [field.name, sampleOf(field, words)]));
}

function sampleText(schema: JsonObject, words: Set<string>): string {
  const allowed = Array.isArray(schema["enum"]) ? schema["enum"].map(String) : [];
  for (const word of allowed) words.add(word);
  const example = exampleFor(schema, [EXAMPLE_TEXT, ...allowed]);
  return typeof example === "string" ? example : (JSON.stringify(example) ?? EXAMPLE_TEXT);
}

/** The documentation of a member of the reply. All values of XML are texts. */
function describedIn(output: XmlField, steps: readonly string[]): JsonObject | undefined {
  const [, , root, ...below] = steps;
  if (root !== output.name) return undefined;
  let field: XmlField | undefined = output;
  for (const step of below) {
    if (field === undefined || !("fields" in field.content)) return undefined;
    field = field.content.fields.find(({ name }) => name === step);
  }
  if (field === undefined) return undefined;
  const type = field.isList ? "array" : "fields" in field.content ? "object" : "string";
  return { type, ...(field.description === undefined ? {} : { description: field.description }) };
}

/** Faults as rows of `errors`: each declared one, those that blame the sender, and all others. */
function errorsOf(faults: readonly XmlField[], version: SoapVersion, words: Set<string>): Imported["errors"] {
  const { code, detail, sender, fault } = SOAP[version];
  const at = "body.Envelope.Body.Fault";
  const nameOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
  const replyWith = (content: Json): Json => ({ Envelope: { Body: { Fault: fault(content) } } });
  return {
    rows: [
      ...faults.map(({ name }) => ({ when: { predicate: `${at}.${detail}.${nameOf(name)}` }, kind: "input" })),
      { when: { predicate: `ends_with(to_string(${at}.${code}), '${sender}')` }, kind: "input" },
      { when: { predicate: at }, kind: "vendor_5xx" },
    ],
    shown:
      faults.length === 0
        ? [{ name: "a fault", sample: replyWith("") }]
        : faults.map((one) => ({
            name: `the fault ${one.name}`,
            sample: replyWith({ [one.name]: sampleOf({ ...one, isList: false }, words) }),
          })),
  };
}

function localName(written = ""): string {
  return written.slice(written.indexOf(":") + 1);
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}
