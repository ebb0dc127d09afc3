import type { JsonObject } from "../../terms/json/json.ts";
import { draftAuth } from "../draft-auth.ts";
import type { ImportChoices, Imported } from "./imported.ts";
import { ImportProblem, locationIn } from "./import-problem.ts";
import { EXAMPLE_TEXT } from "./openapi-schema.ts";
import { describedIn, errorsOf, sampleOf } from "./soap-reply.ts";
import { SoapRequest } from "./soap-request.ts";
import { SOAP } from "./soap-versions.ts";
import {
  assertComplete,
  assertLiteral,
  type BoundOperation,
  chooseOperation,
  COMPLETE,
  definitionsIn,
  localName,
  operationsOf,
  type RefusePart,
} from "./wsdl-operation.ts";
import { attributeOf, childrenOf, documentationOf, XmlSchemas, type XmlField } from "./xml-schema.ts";

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
  const refuse: RefusePart = (part, problem, instead) => {
    const at = text.search(new RegExp(part));
    throw new ImportProblem(at < 0 ? file : locationIn(file, text, at), problem, instead);
  };
  assertComplete(definitions, refuse);
  const operation = chooseOperation(operationsOf(definitions, text), named, refuse);
  assertLiteral(operation, refuse);
  const { bound, name, version } = operation;
  const described = describedOperation(operation, definitions, refuse);
  const schemas = new XmlSchemas(definitions);
  const elementOf = (holder: JsonObject | undefined) => elementOfMessage(holder, definitions, schemas, refuse);
  const [input, output] = ["input", "output"].map((kind) => elementOf(childrenOf(described, kind)[0]));
  const faults = childrenOf(described, "fault").map(elementOf);
  const request = new SoapRequest(choices);
  const drafted = requestOf(operation, input!, request);
  const words = new Set([EXAMPLE_TEXT]);
  return {
    title: name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2"),
    description: documentationOf(described),
    request: drafted,
    auth: draftAuth(auth?.trim() ?? "none"),
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

/** The operation of a port type that a binding offers: it names the messages. */
function describedOperation(
  { binding, name }: BoundOperation,
  definitions: JsonObject,
  refuse: RefusePart,
): JsonObject {
  const described = childrenOf(definitions, "portType")
    .filter((type) => attributeOf(type, "name") === localName(attributeOf(binding, "type")))
    .flatMap((type) => childrenOf(type, "operation"))
    .find((operation) => attributeOf(operation, "name") === name);
  return described ?? refuse(`name="${name}"`, `no portType has the operation ${name}`);
}

/** The element that is the content of the message of an input, an output or a fault. */
function elementOfMessage(
  holder: JsonObject = {},
  definitions: JsonObject,
  schemas: XmlSchemas,
  refuse: RefusePart,
): XmlField {
  const message = localName(attributeOf(holder, "message"));
  const described = childrenOf(definitions, "message").find((one) => attributeOf(one, "name") === message);
  const parts = childrenOf(described ?? {}, "part");
  const part =
    parts.length > 1 ? parts.find((one) => /^(?:parameters|body)$/i.test(attributeOf(one, "name") ?? "")) : parts[0];
  const written = attributeOf(part ?? {}, "element");
  const where = `<[^>]*message[^>]*name="${message}"`;
  if (part === undefined || written === undefined)
    return refuse(where, `the message ${message} is not one element`, "only document/literal can be imported");
  const element = schemas.element(written, [part, described!, definitions]);
  return element ?? refuse(where, `the element ${written} of the message ${message} is not in the document`, COMPLETE);
}

function requestOf(
  { version, address, bound }: BoundOperation,
  input: XmlField,
  request: SoapRequest,
): Imported["request"] {
  const body = request.bodyOf(input);
  const action = attributeOf(childrenOf(bound, "operation")[0] ?? {}, "soapAction") ?? "";
  const xml = {
    "soap:Envelope": {
      "@xmlns:soap": SOAP[version].envelope,
      ...request.declarations(),
      "soap:Body": { [request.nameOf(input)]: body },
    },
  };
  const isFirst = version === "1.1";
  const contentType = `application/soap+xml; charset=utf-8${action === "" ? "" : `; action="${action}"`}`;
  return {
    method: "POST",
    address,
    query: {},
    headers: isFirst ? { SOAPAction: `"${action}"` } : {},
    body: isFirst ? { xml } : { xml, content_type: contentType },
    inputs: request.inputs,
  };
}
