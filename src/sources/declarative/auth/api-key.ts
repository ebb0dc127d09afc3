import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { closed, template, text } from "../format/format-words.ts";
import { inQuery } from "../request/encodings.ts";
import { percentEncode } from "../request/percent-encode.ts";
import { checkHeaderName } from "../request/render-request.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, inOneHeader, type AuthSetting, type AuthStep } from "./auth-kind.ts";

const ApiKey = Type.Object(
  {
    kind: Type.Literal("api_key"),
    header: Type.Optional(text("The header field for the key.")),
    query: Type.Optional(text("The query parameter for the key.")),
    value: template("The key."),
  },
  { ...closed, description: "A key in a header field or in a query parameter." },
);

export const apiKey = authKind({
  schema: ApiKey,
  compile: (file, setting) => ({ step: compileApiKey(file, setting) }),
});

/** A key in a header field or a query parameter. If an optional credential is absent, nothing is added. */
function compileApiKey(auth: Static<typeof ApiKey>, setting: AuthSetting): AuthStep {
  const { known, place } = setting;
  const template = parseTemplate(auth.value, known, place.in("value"));
  const { header, query } = auth;
  if ((header === undefined) === (query === undefined)) {
    return place.refuse(
      "format.value",
      "an api_key goes into a header or into the query",
      "give one of header and query",
    );
  }
  if (query !== undefined) {
    return {
      headerNames: [],
      queryNames: [query],
      apply(request, values) {
        const value = fill(template, values, inQuery);
        if (value === undefined) return request;
        const parameter = `${percentEncode(query)}=${value}`;
        return { ...request, query: request.query === "" ? parameter : `${request.query}&${parameter}` };
      },
    };
  }
  return inOneHeader(checkHeaderName(header!, place.in("header")), template);
}
