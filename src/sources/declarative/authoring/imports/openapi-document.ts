import { isMap, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { didYouMeanAnyOf } from "../../../../terms/nearest.ts";
import { stepsOf } from "../../../../terms/json-pointer.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../terms/json.ts";
import { ImportProblem } from "./import-problem.ts";

/** A part of a document, and its position. */
export interface Spot<Value extends Json = Json> {
  readonly value: Value;
  readonly path: readonly string[];
}

const REFERENCES_MAX = 20;

/** An OpenAPI 3 document in YAML or JSON. Only the parts that one operation refers to are read. */
export class OpenApiDocument {
  readonly root: Spot<JsonObject>;
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  /** @throws ImportProblem */
  constructor(text: string, file: string) {
    this.#file = file;
    this.#lines = new LineCounter();
    this.#document = parseDocument(text, {
      version: "1.2",
      schema: "core",
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "silent",
      uniqueKeys: false,
    });
    const [broken] = this.#document.errors;
    if (broken !== undefined)
      throw new ImportProblem(this.#placeOf(broken.pos[0]), `this is neither YAML nor JSON: ${broken.code}`);
    const value = this.#document.toJS({ maxAliasCount: 1_000 }) as Json;
    if (!isJsonObject(value))
      throw new ImportProblem(file, "this is not an OpenAPI document", "such a document begins with openapi: 3.x");
    this.root = { value, path: [] };
    if (value["swagger"] !== undefined)
      this.refuse(
        this.in(this.root, "swagger") ?? this.root,
        "this is Swagger 2.0",
        "convert it to OpenAPI 3 first; the Swagger editor can do that",
      );
    if (!/^"?3\.[01]/.test(JSON.stringify(value["openapi"] ?? null)))
      this.refuse(this.in(this.root, "openapi") ?? this.root, "this is not OpenAPI 3.0 or 3.1");
  }

  /** A member; if it is a reference, what it refers to. @throws ImportProblem */
  in(spot: Spot, name: string): Spot | undefined {
    const { value, path } = spot;
    const member = Array.isArray(value)
      ? (value[Number(name)] as Json | undefined)
      : isJsonObject(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
    return member === undefined ? undefined : this.follow({ value: member, path: [...path, name] });
  }

  object(spot: Spot, name: string): Spot<JsonObject> | undefined {
    const found = this.in(spot, name);
    if (found === undefined) return undefined;
    return isJsonObject(found.value)
      ? { ...found, value: found.value }
      : this.refuse(found, `${name} is not an object`);
  }

  text(spot: Spot, name: string): string | undefined {
    const value = this.in(spot, name)?.value;
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  /** The entries of a list. */
  list(spot: Spot, name: string): readonly Spot[] {
    const found = this.in(spot, name);
    return Array.isArray(found?.value) ? found.value.map((_, at) => this.in(found, String(at))!) : [];
  }

  /** The members of an object. */
  members(spot: Spot | undefined): readonly (readonly [name: string, spot: Spot])[] {
    return isJsonObject(spot?.value)
      ? Object.keys(spot.value).map((name) => [name, this.in(spot, name)!] as const)
      : [];
  }

  /** Resolves a reference, and further ones that it leads to. @throws ImportProblem */
  follow(spot: Spot): Spot {
    let { value, path } = spot;
    for (let count = 0; isJsonObject(value) && typeof value["$ref"] === "string"; count += 1) {
      const at = { value, path };
      const [file, pointer] = value["$ref"].split("#", 2);
      if (file !== "" || pointer?.startsWith("/") !== true)
        return this.refuse(
          at,
          "it refers to another file",
          "put everything into one file first: npx @redocly/cli bundle FILE -o ONE.yaml",
        );
      if (count === REFERENCES_MAX) return this.refuse(at, "it refers to itself");
      path = stepsOf(decodeURIComponent(pointer));
      let found: Json | undefined = this.root.value;
      for (const step of path)
        found = isJsonObject(found) || Array.isArray(found) ? (found as Record<string, Json>)[step] : undefined;
      if (found === undefined) return this.refuse(at, "it refers to nothing");
      value = found;
    }
    return { value, path };
  }

  /** @throws ImportProblem with line and column of that part */
  refuse(spot: Spot, problem: string, instead?: string): never {
    let { path } = spot;
    let node: Node | undefined;
    for (; node === undefined && path.length > 0; path = path.slice(0, -1)) node = this.#keyAt(path);
    throw new ImportProblem(node?.range ? this.#placeOf(node.range[0]) : this.#file, problem, instead);
  }

  /** The operation with this id, or with a method and path such as `GET /companies/{number}`. @throws ImportProblem */
  operation(named: string): {
    readonly method: string;
    readonly path: string;
    readonly item: Spot;
    readonly operation: Spot<JsonObject>;
  } {
    const known: string[] = [];
    for (const [path, item] of this.members(this.in(this.root, "paths"))) {
      for (const method of ["get", "post", "put", "patch", "delete", "head", "options", "trace"]) {
        const operation = this.object(item, method);
        if (operation === undefined) continue;
        const id = this.text(operation, "operationId");
        const shown = `${method.toUpperCase()} ${path}`;
        known.push(id ?? shown);
        if (id === named || shown === named) return { method: method.toUpperCase(), path, item, operation };
      }
    }
    const near =
      didYouMeanAnyOf(named, known) ??
      `its operations are ${known.slice(0, 12).join(", ")}${known.length > 12 ? ` and ${known.length - 12} more` : ""}`;
    throw new ImportProblem(
      this.#file,
      named === "" ? "say which operation" : `there is no operation "${named}"`,
      named === "" ? `give ${this.#file}#operationId; ${near}` : near,
    );
  }

  #keyAt(path: readonly string[]): Node | undefined {
    const holder: unknown = this.#document.getIn(path.slice(0, -1), true);
    if (isMap(holder))
      return holder.items.find(({ key }) => String((key as { value?: unknown }).value) === path.at(-1))?.key as
        | Node
        | undefined;
    return this.#document.getIn(path, true) as Node | undefined;
  }

  #placeOf(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  }
}
