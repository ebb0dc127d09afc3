import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeForm, encodeQuery, withQuery } from "./outgoing-request.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });

test("whatever is in a query comes out of it again, and nothing else does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (pairs) => {
      const fields = Object.fromEntries(pairs);
      const expected = Object.entries(fields).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]);

      assert.deepEqual([...new URLSearchParams(encodeQuery(fields))], expected);
      assert.deepEqual([...new URLSearchParams(encodeForm(fields))], expected);
      assert.deepEqual(
        [...new URL(withQuery(new URL("https://a.example/p"), fields), "https://a.example").searchParams],
        expected,
      );
    }),
  );
});

test("a query holds only characters that are safe in a request line", () => {
  fc.assert(
    fc.property(text, text, (name, value) => {
      assert.match(encodeQuery({ [name]: value }), /^[\w\-.!~*'()%=&]*$/);
    }),
  );
});

test("nothing is appended where there is nothing to say", () => {
  assert.equal(withQuery(new URL("https://a.example/p?x=1"), { a: null, b: undefined, c: [] }), "/p?x=1");
  assert.equal(withQuery(new URL("https://a.example/p?x=1"), { a: 0, b: false }), "/p?x=1&a=0&b=false");
  assert.equal(withQuery(new URL("https://a.example"), undefined), "/");
});
