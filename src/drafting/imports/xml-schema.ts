import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { canCheck } from "../example-values.ts";

/** An element or attribute of a message, with its content. */
export interface XmlField {
  /** `@name` for an attribute, `#text` for the text beside attributes. */
  readonly name: string;
  /** The namespace of the name; `""`: none. */
  readonly namespace: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  readonly description: string | undefined;
  readonly content: { readonly schema: JsonObject } | { readonly fields: readonly XmlField[] };
}

/** Where names of a part of the document are resolved: the inner element with declarations of prefixes comes first. */
interface XmlScope {
  readonly owners: readonly JsonObject[];
  readonly namespace: string;
  readonly isQualified: boolean;
}

interface Component {
  readonly node: JsonObject;
  readonly scope: XmlScope;
}

/** The attribute as which `xmlns:p` is read. The XML reader drops declarations of prefixes. */
const PREFIX = "@xmlns..";

/** The text with declarations of prefixes as ordinary attributes. */
export function withPrefixes(text: string): string {
  return text.replaceAll(/(\s)xmlns:([\w.-]+)(?=\s*=)/g, "$1xmlns..$2");
}

/** The child elements of a name. */
export function childrenOf(node: JsonObject, name: string): readonly JsonObject[] {
  const value = Object.hasOwn(node, name) ? node[name]! : [];
  return (Array.isArray(value) ? (value as readonly Json[]) : [value]).map((child) =>
    isJsonObject(child) ? child : child === "" ? {} : { "#text": child },
  );
}

export function attributeOf(node: JsonObject, name: string): string | undefined {
  const value = node[`@${name}`];
  return typeof value === "string" ? value : undefined;
}

export function documentationOf(node: JsonObject): string | undefined {
  const [written] = [node, ...childrenOf(node, "annotation")].flatMap((holder) => childrenOf(holder, "documentation"));
  const text = written?.["#text"];
  return typeof text === "string" ? text.replaceAll(/\s+/g, " ").trim() : undefined;
}

/** The name and namespace of `p:name`, by the declarations on the elements around it, the innermost first. */
export function resolveName(written: string, owners: readonly JsonObject[]): { name: string; namespace: string } {
  const [, prefix, name = written] = /^([^:]+):(.*)$/.exec(written) ?? [];
  const key = prefix === undefined ? "@xmlns" : `${PREFIX}${prefix}`;
  const declared = owners.map((owner) => owner[key]).find((value) => typeof value === "string");
  return { name, namespace: declared ?? "" };
}

/** Elements and types around an element. Deeper structures are hardly ever filled in by a caller. */
const NESTED_MAX = 24;

/** The schemas inside a WSDL document. Structures that cannot be expressed are left out, with a note. */
export class XmlSchemas {
  readonly notes = new Set<string>();
  readonly #components = new Map<string, Component>();
  readonly #root: JsonObject;

  constructor(definitions: JsonObject) {
    this.#root = definitions;
    for (const schema of childrenOf(definitions, "types").flatMap((types) => childrenOf(types, "schema"))) {
      const scope: XmlScope = {
        owners: [schema, definitions],
        namespace: attributeOf(schema, "targetNamespace") ?? "",
        isQualified: attributeOf(schema, "elementFormDefault") === "qualified",
      };
      for (const kind of ["element", "complexType", "simpleType", "group", "attributeGroup", "attribute"])
        for (const node of childrenOf(schema, kind))
          this.#components.set(`${kind} {${scope.namespace}}${attributeOf(node, "name")}`, { node, scope });
    }
  }

  /** A global element; `null` if the document does not contain it. */
  element(written: string, owners: readonly JsonObject[]): XmlField | null {
    const found = this.#find("element", written, { owners, namespace: "", isQualified: false });
    return found === null ? null : this.#elementOf(found.node, found.scope, [], found.scope.namespace);
  }

  #find(kind: string, written: string, scope: XmlScope): Component | null {
    const { name, namespace } = resolveName(written, [...scope.owners, this.#root]);
    return this.#components.get(`${kind} {${namespace}}${name}`) ?? null;
  }

  #elementOf(node: JsonObject, outer: XmlScope, stack: readonly JsonObject[], global?: string): XmlField | null {
    const scope = { ...outer, owners: [node, ...outer.owners] };
    const reference = attributeOf(node, "ref");
    const times = {
      isRequired: attributeOf(node, "minOccurs") !== "0",
      isList: (attributeOf(node, "maxOccurs") ?? "1") !== "1",
    };
    if (reference !== undefined) {
      const found = this.#find("element", reference, scope);
      const made = found && this.#elementOf(found.node, found.scope, stack, found.scope.namespace);
      if (made === null) this.notes.add(`The element ${reference} is not in the document and was left out.`);
      return made === null ? null : { ...made, ...times };
    }
    const name = attributeOf(node, "name") ?? "";
    if (stack.includes(node) || stack.length >= NESTED_MAX) {
      this.notes.add(`The element ${name} contains itself, or is nested too deeply: its inner part was left out.`);
      return null;
    }
    const content = this.#contentOf(node, scope, [...stack, node]);
    if (content === null) {
      this.notes.add(`The element ${name} is of a type that contains itself, and was left out.`);
      return null;
    }
    const form = attributeOf(node, "form");
    const isQualified = form === undefined ? scope.isQualified : form === "qualified";
    return {
      name,
      namespace: global ?? (isQualified ? scope.namespace : ""),
      ...times,
      description: documentationOf(node),
      content,
    };
  }

  /** The content of an element, by its type; `null` if the type is that of an element around it. */
  #contentOf(node: JsonObject, scope: XmlScope, stack: readonly JsonObject[]): XmlField["content"] | null {
    const [complex] = childrenOf(node, "complexType");
    if (complex !== undefined) return this.#complex(complex, scope, stack);
    const type = attributeOf(node, "type");
    const named = type === undefined ? null : this.#find("complexType", type, scope);
    if (named === null) return { schema: this.#simple(node, scope) };
    if (stack.includes(named.node)) return null;
    return this.#complex(named.node, named.scope, [...stack, named.node]);
  }

  #complex(type: JsonObject, scope: XmlScope, stack: readonly JsonObject[]): XmlField["content"] {
    const [simple] = childrenOf(type, "simpleContent");
    if (simple !== undefined) {
      const [derived = {}] = [...childrenOf(simple, "extension"), ...childrenOf(simple, "restriction")];
      const schema = this.#simpleNamed(attributeOf(derived, "base") ?? "", scope);
      const attributes = this.#attributes(derived, scope);
      if (attributes.length === 0) return { schema };
      const text = { name: "#text", namespace: "", isRequired: true, isList: false, description: undefined };
      return { fields: [...attributes, { ...text, content: { schema } }] };
    }
    const [complex] = childrenOf(type, "complexContent");
    if (complex === undefined)
      return { fields: [...this.#attributes(type, scope), ...this.#particles(type, scope, stack)] };
    const [extension] = childrenOf(complex, "extension");
    const derived = extension ?? childrenOf(complex, "restriction")[0] ?? {};
    const base = extension === undefined ? null : this.#find("complexType", attributeOf(derived, "base") ?? "", scope);
    const inherited = base === null ? null : this.#complex(base.node, base.scope, stack);
    const own = [...this.#attributes(derived, scope), ...this.#particles(derived, scope, stack)];
    return { fields: [...(inherited !== null && "fields" in inherited ? inherited.fields : []), ...own] };
  }

  #attributes(holder: JsonObject, scope: XmlScope): XmlField[] {
    const groups = childrenOf(holder, "attributeGroup").flatMap((group) => {
      const found = this.#find("attributeGroup", attributeOf(group, "ref") ?? "", scope);
      return found === null ? [] : this.#attributes(found.node, found.scope);
    });
    const own = childrenOf(holder, "attribute").flatMap((node): XmlField[] => {
      const name = attributeOf(node, "name");
      if (name === undefined || attributeOf(node, "use") === "prohibited") return [];
      const isRequired = attributeOf(node, "use") === "required";
      const schema = this.#simple(node, { ...scope, owners: [node, ...scope.owners] });
      return [
        {
          name: `@${name}`,
          namespace: "",
          isRequired,
          isList: false,
          description: documentationOf(node),
          content: { schema },
        },
      ];
    });
    return [...groups, ...own];
  }

  #particles(holder: JsonObject, scope: XmlScope, stack: readonly JsonObject[]): XmlField[] {
    return ["sequence", "all", "choice", "group"].flatMap((kind) =>
      childrenOf(holder, kind).flatMap((node): XmlField[] => {
        if (kind === "group") {
          const found = this.#find("group", attributeOf(node, "ref") ?? "", scope);
          return found === null ? [] : this.#particles(found.node, found.scope, stack);
        }
        const elements = childrenOf(node, "element").flatMap((child) => this.#elementOf(child, scope, stack) ?? []);
        const inner = this.#particles(node, scope, stack);
        if (childrenOf(node, "any").length > 0) this.notes.add("Content of any kind (xs:any) was left out.");
        if (elements.length > 0 && inner.length > 0)
          this.notes.add(
            `Compare the order of ${elements[0]!.name} and ${inner[0]!.name} with the document: both are beside a choice or a group.`,
          );
        const fields = [...elements, ...inner];
        if (kind === "choice" && fields.length > 1)
          this.notes.add(`Only one of these can be sent: ${fields.map(({ name }) => name).join(", ")}.`);
        const isOptional = kind === "choice" || attributeOf(node, "minOccurs") === "0";
        return isOptional ? fields.map((field) => ({ ...field, isRequired: false })) : fields;
      }),
    );
  }

  #simple(node: JsonObject, scope: XmlScope): JsonObject {
    const fixed = attributeOf(node, "fixed");
    if (fixed !== undefined) return { const: fixed };
    const [inline] = childrenOf(node, "simpleType");
    return inline === undefined
      ? this.#simpleNamed(attributeOf(node, "type") ?? "", scope)
      : this.#restricted(inline, scope);
  }

  #simpleNamed(written: string, scope: XmlScope): JsonObject {
    const found = this.#find("simpleType", written, scope);
    return found === null
      ? builtIn(resolveName(written, scope.owners).name)
      : this.#restricted(found.node, found.scope);
  }

  #restricted(type: JsonObject, scope: XmlScope): JsonObject {
    const [restriction] = childrenOf(type, "restriction");
    if (restriction === undefined) return builtIn("string");
    const base = this.#simpleNamed(attributeOf(restriction, "base") ?? "", scope);
    const valueOf = (facet: string) => {
      const [node] = childrenOf(restriction, facet);
      return node === undefined ? undefined : attributeOf(node, "value");
    };
    const allowed = childrenOf(restriction, "enumeration").flatMap((node) => attributeOf(node, "value") ?? []);
    if (allowed.length > 0) return { enum: [...new Set(allowed)] };
    const schema = { ...base };
    const isText = base["type"] === "string";
    const facets: readonly (readonly [facet: string, key: string])[] = isText
      ? [["length", "minLength"], ["length", "maxLength"], ["minLength", "minLength"], ["maxLength", "maxLength"]]
      : [["minInclusive", "minimum"], ["maxInclusive", "maximum"]]; // oxfmt-ignore
    for (const [facet, key] of facets) {
      const bound = Number(valueOf(facet) ?? Number.NaN);
      if (Number.isSafeInteger(bound)) schema[key] = bound;
    }
    const pattern = valueOf("pattern");
    if (isText && pattern !== undefined) {
      const anchored = { type: "string", pattern: `^(?:${pattern})$` };
      if (canCheck(anchored)) schema["pattern"] = anchored.pattern;
      else this.notes.add("A pattern that is no ECMAScript expression was left out.");
    }
    return schema;
  }
}

const WHOLE = /^(?:integer|int|long|short|byte|unsigned\w+|(?:non)?(?:positive|negative)\w+)$/i;

/** The schema of a type of XML Schema itself. */
function builtIn(name: string): JsonObject {
  if (name === "boolean") return { type: "boolean" };
  if (WHOLE.test(name)) {
    if (name === "positiveInteger") return { type: "integer", minimum: 1 };
    return /^unsigned|^nonNegative/.test(name) ? { type: "integer", minimum: 0 } : { type: "integer" };
  }
  if (/^(?:decimal|float|double)$/.test(name)) return { type: "number" };
  if (name === "date") return { type: "string", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" };
  return { type: "string", minLength: 1, maxLength: 200 };
}
