/**
 * What `import … from "datarun"` gives inside an isolate. The schemas of a declaration are read when the file is
 * loaded, so making them again in every run would be time for nothing (`typebox` is several times the size of a
 * function). `Type` is therefore the real one only where it was put before the bundle; elsewhere it pretends, and says
 * so when somebody looks.
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

/** The functions that give a declaration its types return what they are given. */
function same<Declaration>(declaration: Declaration): Declaration {
  return declaration;
}

export { same as defineConfig, same as defineFunction, same as defineSource };
