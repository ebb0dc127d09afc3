import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { freeName, inputName, jsonBody, type DraftInput, type DraftRequest } from "../draft-request.ts";
import { basicAuth, bearerAuth, freeField, keyAuth, type DraftedAuth } from "../draft-auth.ts";
import { exampleFor } from "../example-values.ts";
import { fieldName } from "./captured-values.ts";
import { ImportProblem } from "./import-problem.ts";
import type { ImportChoices } from "./imported.ts";
import type { OpenApiDocument, Spot } from "./openapi-document.ts";
import { isExact, membersOf, sampleOf, toSchema, usableSchema } from "./openapi-schema.ts";
import { isProofName } from "./secret-names.ts";

const SERVER_SETS = /^(?:accept|content-type)$/i;
const AUTHORIZATION = /^authorization$/i;

/** The request of an operation, with an input for each parameter and each member of its body. @throws ImportProblem */
export class OperationRequest {
  readonly inputs: DraftInput[] = [];
  /** The authentication: security schemes, and parameters and members whose names suggest keys. */
  readonly auth: DraftedAuth[] = [];
  readonly notes: string[] = [];
  readonly #document: OpenApiDocument;
  readonly #choices: ImportChoices;
  #isLoginKnown = false;

  constructor(document: OpenApiDocument, choices: ImportChoices) {
    this.#document = document;
    this.#choices = choices;
  }

  /** Sets the authentication from the security schemes or from `--auth`. Without either, a parameter may give it. */
  loginBy(auth: DraftedAuth): void {
    this.#isLoginKnown = true;
    this.auth.push(auth);
  }

  /** The base address: the first server of the most specific list, with the default values of its variables. */
  server(item: Spot, operation: Spot): string {
    const document = this.#document;
    const holder = [operation, item, document.root].find((spot) => document.list(spot, "servers").length > 0);
    if (holder === undefined)
      return document.refuse(
        operation,
        "the document names no server",
        document.isSwagger2 ? "add host: api.vendor.example to it" : "add servers: [{url: https://…}] to it",
      );
    const servers = document.list(holder, "servers");
    const [server] = servers;
    const variables = document.object(server!, "variables");
    const url = (document.text(server!, "url") ?? "").replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
      const variable = variables && document.object(variables, name);
      const value = variable && document.in(variable, "default")?.value;
      if (typeof value !== "string" && typeof value !== "number")
        return document.refuse(server!, `its variable ${name} has no default`);
      this.notes.push(`${name} of the server is ${JSON.stringify(value)}: hosts are constant in a source file.`);
      return String(value);
    });
    const address = URL.parse(url);
    if (address === null || !/^https?:$/.test(address.protocol) || address.search !== "" || address.username !== "")
      return document.refuse(server!, "its server is not a complete address", "write url: https://… there");
    if (servers.length > 1) this.notes.push(`It uses the first of ${servers.length} servers, ${address.host}.`);
    return url.replace(/\/+$/, "");
  }

  parameters(
    server: string,
    path: string,
    item: Spot,
    operation: Spot,
  ): Omit<DraftRequest, "method" | "body" | "inputs"> {
    const document = this.#document;
    const merged = new Map<string, Spot>();
    for (const spot of [...document.list(item, "parameters"), ...document.list(operation, "parameters")])
      merged.set(`${document.text(spot, "in") ?? ""} ${document.text(spot, "name") ?? ""}`, spot);
    const query = new Map<string, string>();
    const headers = new Map<string, string>();
    let address = path;
    for (const spot of merged.values()) {
      const [name, place] = [document.text(spot, "name") ?? "", document.text(spot, "in") ?? ""];
      if (place === "header" && AUTHORIZATION.test(name)) this.#login(spot);
      else if (place === "header" && SERVER_SETS.test(name))
        this.notes.push(`The header field ${name} is left out: it follows from the other parts.`);
      else if ((place === "header" || place === "query") && isProofName(name)) this.#prove(name, place);
      else if (place === "path") {
        const template = this.#parameter(spot, name, "simple");
        address = address.replaceAll(`{${name}}`, () => template);
      } else if (place === "query") this.#addTo(query, spot, name, "form");
      else if (place === "header") this.#addTo(headers, spot, name, "simple");
      else if (document.isSwagger2 && (place === "body" || place === "formData")) continue;
      else
        document.refuse(
          spot,
          `a parameter in ${place === "" ? "no place" : place} cannot be imported`,
          "write it into the file as a header by hand, and remove it from the document",
        );
    }
    const lost = /\{(?!\{ inputs)([^{}]*)\}(?!\})/.exec(address);
    if (lost !== null) document.refuse(operation, `its path has {${lost[1]!}}, which no parameter describes`);
    return { address: server + address, query: Object.fromEntries(query), headers: Object.fromEntries(headers) };
  }

  /**
   * Adds a parameter. An optional parameter that a source file cannot express is left out. @throws ImportProblem if it
   * is required
   */
  #addTo(parameters: Map<string, string>, spot: Spot, name: string, usual: "form" | "simple"): void {
    const known = this.inputs.length;
    try {
      parameters.set(name, this.#parameter(spot, name, usual));
    } catch (error) {
      const isRequired = isJsonObject(spot.value) && spot.value["required"] === true;
      if (!(error instanceof ImportProblem) || isRequired) throw error;
      this.inputs.length = known;
      this.notes.push(`The optional parameter ${name} is left out. ${error.message}.`);
    }
  }

  body(operation: Spot): DraftRequest["body"] {
    const document = this.#document;
    const content =
      document.object(operation, "requestBody") &&
      document.object(document.object(operation, "requestBody")!, "content");
    const types = document.members(content);
    if (types.length === 0) return undefined;
    const json = types.find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type));
    const form = types.find(([type]) => /^application\/x-www-form-urlencoded\b/i.test(type));
    const chosen = json ?? form;
    if (chosen === undefined)
      return document.refuse(
        content!,
        `a body of ${types.map(([type]) => type).join(" or ")} cannot be imported`,
        "write it into the file by hand: body takes json, form, xml and text",
      );
    const schema = document.in(chosen[1], "schema");
    if (schema === undefined) return document.refuse(chosen[1], "the body has no schema");
    const required = document.in(document.object(operation, "requestBody")!, "required")?.value === true;
    const shown = exampleIn(document, chosen[1]);
    if (chosen === json)
      return jsonBody(this.#leaf(schema, "body", required, shown, []), chosen[0].split(";")[0]!.trim());
    const members = membersOf(document, schema);
    if (members === null) return document.refuse(schema, "the form is not a plain object");
    return {
      form: Object.fromEntries(
        [...members].map(([name, member]) => {
          const value = this.#leaf(member.spot, name, required && member.required, memberOf(shown, name), []);
          if (typeof value === "object") return document.refuse(member.spot, "a form cannot contain objects");
          return [name, String(value)];
        }),
      ),
    };
  }

  /**
   * A member of a body. Objects are expanded, a member with only one allowed value gets that value, and all others
   * become inputs.
   */
  #leaf(spot: Spot, name: string, required: boolean, shown: Json | undefined, above: readonly string[]): Json {
    const document = this.#document;
    const members = above.length > 6 ? null : membersOf(document, spot);
    if (members === null && (isProofName(name) || document.in(spot, "format")?.value === "password")) {
      const field = this.#sharedField(name) ?? this.#field(name);
      this.auth.push({ ...keyAuth({ query: name }, { field }), kinds: [] });
      return `{{ credentials.${field} }}`;
    }
    if (members === null || members.size === 0)
      return this.#only(spot) ?? this.#input(spot, name, required, shown ?? sampleOf(document, spot), above);
    return Object.fromEntries(
      [...members]
        .filter(([, member]) => document.in(member.spot, "readOnly")?.value !== true)
        .map(([own, member]) => [
          own,
          this.#leaf(member.spot, own, required && member.required, memberOf(shown, own), [...above, name]),
        ]),
    );
  }

  /**
   * OpenAPI tells readers to ignore a parameter `Authorization`, because a security scheme describes it. Documents
   * without a scheme describe the login only in this parameter.
   */
  #login(spot: Spot): void {
    if (this.#isLoginKnown) return;
    const told = JSON.stringify(spot.value);
    const auth = /\bbearer\b/i.test(told)
      ? bearerAuth()
      : /\bbasic\b/i.test(told)
        ? basicAuth()
        : keyAuth({ header: "Authorization" });
    this.auth.push(auth);
    const fields = Object.keys(auth.fields).join(" and ");
    this.notes.push(`The login is described as a header field Authorization: ${fields} of the credential.`);
  }

  /** A key that the document declares as an ordinary parameter. */
  #prove(name: string, place: "header" | "query"): void {
    const isThere = this.auth.some(({ kinds }) => kinds.some((kind) => kind[place] === name));
    if (!isThere)
      this.auth.push(keyAuth(place === "header" ? { header: name } : { query: name }, { field: this.#field(name) }));
  }

  /** The field of a key that a security scheme sends too, such as `PLAID-SECRET` beside the member `secret`. */
  #sharedField(name: string): string | undefined {
    const plain = fieldName(name);
    const keys = this.auth.flatMap(({ fields, kinds }) =>
      kinds.some(({ kind }) => kind === "api_key") ? Object.keys(fields) : [],
    );
    const shared = keys.find((field) => field === plain || field.endsWith(`_${plain}`));
    if (shared !== undefined) this.notes.push(`${name} is ${shared} of the credential, as in the authentication.`);
    return shared;
  }

  #field(name: string): string {
    const free = freeField(fieldName(name), this.auth);
    this.notes.push(`${name} is ${free} of the credential.`);
    return free;
  }

  #only({ value }: Spot): Json | null {
    if (!isJsonObject(value)) return null;
    if (Object.hasOwn(value, "const")) return value["const"]!;
    return Array.isArray(value["enum"]) && value["enum"].length === 1 ? (value["enum"][0] as Json) : null;
  }

  #parameter(spot: Spot, name: string, usual: "form" | "simple"): string {
    const document = this.#document;
    const schema = document.in(spot, "schema");
    if (schema === undefined)
      return document.refuse(
        spot,
        `the parameter ${name} has no schema`,
        "a parameter with content cannot be imported",
      );
    const types = new Set([document.in(schema, "type")?.value].flat());
    const isList = types.has("array");
    const isObject = membersOf(document, schema) !== null;
    const style = document.text(spot, "style") ?? usual;
    if (document.in(spot, "allowReserved")?.value === true)
      return document.refuse(
        spot,
        `the parameter ${name} must be sent without encoding`,
        "values of a query are always encoded: write the source in TypeScript",
      );
    if (isObject || types.has("object") || (style !== usual && !(isList && JOINED.has(style))))
      return document.refuse(
        spot,
        `the parameter ${name} is serialized in a way that a file cannot express`,
        "lists in the styles form, simple, spaceDelimited and pipeDelimited can",
      );
    const only = this.#only(schema);
    if (only !== null && typeof only !== "object") return String(only);
    const required = document.in(spot, "required")?.value === true;
    const shown = exampleIn(document, spot) ?? sampleOf(document, schema);
    const template = this.#input(schema, name, required, shown, [], document.text(spot, "description"));
    const explodes = (document.in(spot, "explode")?.value ?? style === "form") === true;
    return isList && !(usual === "form" && explodes)
      ? template.replace(" }}", ` | join('${JOINED.get(style) ?? ","}') }}`)
      : template;
  }

  #input(spot: Spot, written: string, required: boolean, shown: Json, above: readonly string[], says?: string): string {
    const plain = inputName(written);
    const taken = new Set(this.inputs.map((input) => input.name));
    const name = taken.has(plain) ? freeName(inputName([...above.slice(1), written].join("_")), taken) : plain;
    const schema = usableSchema(this.#document, spot, toSchema(this.#document, spot));
    const described =
      says === undefined || schema["description"] !== undefined ? schema : { ...schema, description: says };
    const given = this.#choices.examples[name];
    // A published example may be personal data, so an unmasked example is used only if no masked one is valid.
    const example =
      exampleFor(described, [given ?? this.#choices.mask(shown)]) ??
      exampleFor(described, isExact(shown) ? [shown] : []);
    this.inputs.push({ name, schema: withoutDefault(described), required, ...(example === null ? {} : { example }) });
    return `{{ inputs.${name} }}`;
  }
}

const JOINED: ReadonlyMap<string, string> = new Map([
  ["form", ","],
  ["simple", ","],
  ["spaceDelimited", " "],
  ["pipeDelimited", "|"],
]);

/** Moves a default to the description. The vendor applies the default, so the source does not send it. */
function withoutDefault({ default: value, ...schema }: JsonObject): JsonObject {
  if (value === undefined) return schema;
  const said = typeof schema["description"] === "string" ? `${schema["description"].trim().replace(/\.$/, "")}. ` : "";
  return { ...schema, description: `${said}The vendor uses ${JSON.stringify(value)} if it is left out.` };
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The example of a parameter or of one media type. */
export function exampleIn(document: OpenApiDocument, spot: Spot): Json | undefined {
  const own = document.in(spot, "example");
  if (own !== undefined) return own.value;
  const [first] = document.members(document.in(spot, "examples"));
  return first === undefined ? undefined : document.in(first[1], "value")?.value;
}
