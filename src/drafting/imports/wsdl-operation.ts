import type { JsonObject } from "../../terms/json/json.ts";
import { didYouMean } from "../../terms/text/nearest.ts";
import { XmlProblem } from "../../terms/xml/parse-xml.ts";
import { readXml } from "../../terms/xml/read-xml.ts";
import { ImportProblem } from "./import-problem.ts";
import { SOAP, type SoapVersion } from "./soap-versions.ts";
import { attributeOf, childrenOf, resolveName, withPrefixes } from "./xml-schema.ts";

/** An operation as a SOAP binding offers it. */
export interface BoundOperation {
  readonly name: string;
  readonly version: SoapVersion;
  readonly address: string;
  readonly binding: JsonObject;
  readonly bound: JsonObject;
}

/** Throws an `ImportProblem` at the first place of the document that matches `part`. */
export type RefusePart = (part: string, problem: string, instead?: string) => never;

export const COMPLETE =
  "save the complete document, which many servers offer as ?singleWsdl, or copy the other file into it";

export function definitionsIn(text: string, file: string): JsonObject {
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
  if (definitions === undefined)
    throw new ImportProblem(file, "it is not a WSDL document", "the root of one is definitions");
  return definitions;
}

export function assertComplete(definitions: JsonObject, refuse: RefusePart): void {
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

export function operationsOf(definitions: JsonObject, text: string): BoundOperation[] {
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

export function chooseOperation(
  operations: readonly BoundOperation[],
  named: string | undefined,
  refuse: RefusePart,
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

export function assertLiteral({ binding, bound, name }: BoundOperation, refuse: RefusePart): void {
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

export function localName(written = ""): string {
  return written.slice(written.indexOf(":") + 1);
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}
