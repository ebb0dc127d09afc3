/**
 * The module `datarun` inside an isolate. The schemas of a declaration are read when the file is loaded. Building them
 * again in every run would waste time (`typebox` is several times the size of a function), so `Type` is the real one
 * only if its code runs before the bundle. Otherwise it is a stand-in that throws when a schema is inspected.
 */
const pretended: object = new Proxy(function () {}, {
  apply: () => schema,
  get: () => pretended,
});

const schema: object = new Proxy(
  {},
  {
    get: refuse,
    has: refuse,
    ownKeys: refuse,
    getOwnPropertyDescriptor: refuse,
  },
);

function refuse(): never {
  throw new TypeError("a schema made with Type can be used in the declaration only, not while the function runs");
}

export const Type: object =
  /* @__PURE__ */ (globalThis as unknown as { __datarunType?: object }).__datarunType ?? pretended;

/** Functions such as `defineFunction`, which only add types to a declaration, return their argument. */
function same<Declaration>(declaration: Declaration): Declaration {
  return declaration;
}

export { same as defineConfig, same as defineFunction, same as defineSource };
