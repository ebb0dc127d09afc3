import { Type } from "../../../terms/schema/type.ts";
import { closed, template, text } from "../format/format-words.ts";
import { inQuery } from "../request/encodings.ts";
import { percentEncode } from "../request/percent-encode.ts";
import { checkHeaderName } from "../request/render-request.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, inOneHeader } from "./auth-kind.ts";

const ApiKey = Type.Object(
  {
    kind: Type.Literal("api_key"),
    header: Type.Optional(text("The header field for the key.")),
    query: Type.Optional(text("The query parameter for the key.")),
    value: template("The key."),
  },
  { ...closed, description: "A key in a header field or in a query parameter." },
);

/** If an optional credential is absent, nothing is added. */
export const apiKey = authKind({
  schema: ApiKey,
  compile({ header, query, value: written }, { known, place }) {
    const template = parseTemplate(written, known, place.in("value"));
    if ((header === undefined) === (query === undefined)) {
      place.refuse("format.value", "an api_key goes into a header or into the query", "give one of header and query");
    }
    if (query === undefined) return { step: inOneHeader(checkHeaderName(header!, place.in("header")), template) };
    return {
      step: {
        queryNames: [query],
        apply(request, values) {
          const value = fill(template, values, inQuery);
          if (value === undefined) return request;
          const parameter = `${percentEncode(query)}=${value}`;
          return { ...request, query: request.query === "" ? parameter : `${request.query}&${parameter}` };
        },
      },
    };
  },
});
