import { isMap, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { didYouMeanAnyOf } from "../../terms/text/nearest.ts";
import { stepsOf } from "../../terms/json/json-pointer.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { ImportProblem } from "./import-problem.ts";
import { asOpenApi3 } from "./swagger2.ts";

/** A part of a document, and its position. */
export interface Spot<Value extends Json = Json> {
  readonly value: Value;
  readonly path: readonly string[];
}

const REFERENCES_MAX = 20;
const OTHER_VERSION = "this is neither OpenAPI 3.0, 3.1 or 3.2 nor Swagger 2.0";

/**
 * An OpenAPI 3 document in YAML or JSON. A Swagger 2.0 document is converted. Only the parts that one operation refers
 * to are read.
 */
export class OpenApiDocument {
  readonly root: Spot<JsonObject>;
  readonly isSwagger2: boolean;
  /** The parts that were left out, each with its position. */
  readonly notes: string[] = [];
  #isTolerant = false;
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
      throw new ImportProblem(this.#placeOf(broken.pos[0]), `this is neither YAML nor JSON: ${broken.message}`);
    const value = this.#toJson();
    if (!isJsonObject(value))
      throw new ImportProblem(
        `${file}:1:1`,
        "this is not an OpenAPI document",
        "such a document begins with openapi: 3.x",
      );
    this.isSwagger2 = /^2(?:\.0)?$/.test(versionOf(value["swagger"]));
    this.root = { value: this.isSwagger2 ? asOpenApi3(value) : value, path: [] };
    if (!/^3(?:\.[0-2](?:\.|$)|$)/.test(versionOf(this.root.value["openapi"])))
      this.refuse({ value, path: [Object.hasOwn(value, "swagger") ? "swagger" : "openapi"] }, OTHER_VERSION);
  }

  #toJson(): Json {
    try {
      const value = this.#document.toJS({ maxAliasCount: 1_000 }) as Json;
      // Throws if an alias is inside the node that it refers to. Other code does not expect such a cycle.
      JSON.stringify(value);
      return value;
    } catch {
      throw new ImportProblem(
        `${this.#file}:1:1`,
        "its YAML aliases cannot be used: there are too many, or one refers to nothing or to itself",
      );
    }
  }

  /** From now on, a reference that cannot be resolved is left out with a note, as if it allowed any value. */
  tolerate(): void {
    this.#isTolerant = true;
  }

  leaveOut(spot: Spot, problem: string): void {
    const note = `${this.#placeOfSpot(spot)}: ${problem}, so it is left out.`;
    if (!this.notes.includes(note)) this.notes.push(note);
  }

  /** A member. A reference is resolved. @throws ImportProblem */
  in(spot: Spot, name: string): Spot | undefined {
    const { value, path } = spot;
    const member = memberOf(value, name);
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

  /** Resolves a reference, and the references that it leads to. @throws ImportProblem */
  follow(spot: Spot): Spot {
    let { value, path } = spot;
    for (let count = 0; isJsonObject(value) && typeof value["$ref"] === "string"; count += 1) {
      const at = { value, path };
      const [file, pointer] = value["$ref"].split("#", 2);
      if (file !== "" || pointer?.startsWith("/") !== true)
        return this.#lost(
          at,
          "it refers to another file",
          "put everything into one file first: npx @redocly/cli bundle FILE -o ONE.yaml",
        );
      if (count === REFERENCES_MAX) return this.#lost(at, "it refers to itself");
      path = stepsOf(decoded(pointer));
      let found: Json | undefined = this.root.value;
      for (const step of path) found = memberOf(found, step);
      if (found === undefined) return this.#lost(at, "it refers to nothing");
      value = found;
    }
    return { value, path };
  }

  #lost(at: Spot, problem: string, instead?: string): Spot {
    if (!this.#isTolerant) return this.refuse(at, problem, instead);
    this.leaveOut(at, problem);
    return { value: {}, path: at.path };
  }

  /** @throws ImportProblem with line and column of the part */
  refuse(spot: Spot, problem: string, instead?: string): never {
    throw new ImportProblem(this.#placeOfSpot(spot), problem, instead);
  }

  /** The position of a part. If the part is not in the document, the position of its parent. */
  #placeOfSpot(spot: Spot): string {
    let { path } = spot;
    let node: Node | undefined;
    for (; node === undefined && path.length > 0; path = path.slice(0, -1)) node = this.#keyAt(path);
    return this.#placeOf(node?.range?.[0] ?? 0);
  }

  /**
   * The operation with this id, or with this method and path, such as `GET /companies/{number}`. @throws ImportProblem
   */
  operation(named: string): {
    readonly method: string;
    readonly path: string;
    readonly item: Spot;
    readonly operation: Spot<JsonObject>;
  } {
    const known: string[] = [];
    const paths = this.in(this.root, "paths");
    for (const path of isJsonObject(paths?.value) ? Object.keys(paths.value) : []) {
      // Problems of other paths do not matter.
      const isNamed = named.endsWith(` ${path}`);
      const item = isNamed ? this.in(paths!, path)! : this.#ifReadable(() => this.in(paths!, path));
      if (item === undefined) continue;
      for (const method of ["get", "post", "put", "patch", "delete", "head", "options", "trace"]) {
        const read = () => this.object(item, method);
        const operation = isNamed ? read() : this.#ifReadable(read);
        if (operation === undefined) continue;
        const id = this.#ifReadable(() => this.text(operation, "operationId"));
        const shown = `${method.toUpperCase()} ${path}`;
        known.push(id ?? shown);
        if (id === named || shown === named) return { method: method.toUpperCase(), path, item, operation };
      }
    }
    const near =
      didYouMeanAnyOf(named, known) ??
      (known.length === 0 ? "it has no operations" : null) ??
      `its operations are ${known.slice(0, 12).join(", ")}${known.length > 12 ? ` and ${known.length - 12} more` : ""}`;
    throw new ImportProblem(
      this.#placeOfSpot({ value: null, path: ["paths"] }),
      named === "" ? "say which operation" : `there is no operation "${named}"`,
      named === "" ? `give ${this.#file}#operationId; ${near}` : near,
    );
  }

  #ifReadable<Value>(read: () => Value | undefined): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (error instanceof ImportProblem) return undefined;
      throw error;
    }
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

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? (value[Number(name)] as Json | undefined) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** YAML parses an unquoted `2.0` as a number. */
function versionOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
