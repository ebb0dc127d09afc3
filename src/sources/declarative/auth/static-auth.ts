import { asItIs, inHeader, inQuery, percentEncode } from "../request/encodings.ts";
import type { AuthFile } from "../format/format.ts";
import { checkHeaderName } from "../request/render-request.ts";
import { fill, parseTemplate, type Expression, type Template } from "../request/template.ts";
import { valueProblem } from "../format/value-problem.ts";
import { withHeaders, type AuthSetting, type AuthStep } from "./auth-step.ts";

type Kind<Name extends AuthFile["kind"]> = Extract<AuthFile, { kind: Name }>;

/** A key in a header field or a parameter. An optional credential that is absent adds nothing. @throws DeclarationError */
export function compileApiKey(auth: Kind<"api_key">, setting: AuthSetting): AuthStep {
  const { known, place } = setting;
  const template = parseTemplate(auth.value, known, place.in("value"));
  const { header, query } = auth;
  if ((header === undefined) === (query === undefined)) {
    return place.refuse(
      "format.value",
      "an api_key stands in a header or in the query",
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

/** @throws DeclarationError */
export function compileBearer(auth: Kind<"bearer">, { known, place }: AuthSetting): AuthStep {
  return inOneHeader("authorization", ["Bearer ", ...parseTemplate(auth.token, known, place.in("token"))]);
}

export function inOneHeader(name: string, template: Template): AuthStep {
  return {
    headerNames: [name],
    queryNames: [],
    apply(request, values) {
      const value = fill(template, values, inHeader);
      return value === undefined ? request : withHeaders(request, { [name]: value });
    },
  };
}

/** @throws DeclarationError */
export function compileBasic(auth: Kind<"basic">, { known, place }: AuthSetting): AuthStep {
  const username = parseTemplate(auth.username, known, place.in("username"));
  const password = parseTemplate(auth.password, known, place.in("password"));
  return {
    headerNames: ["authorization"],
    queryNames: [],
    apply(request, values) {
      const user = fill(username, values, asItIs);
      const secret = fill(password, values, asItIs);
      if (user === undefined || secret === undefined) return request;
      // A colon ends the user; what follows would be read as the password.
      if (user.includes(":")) throw fieldProblem(username, "must not contain a colon");
      return withHeaders(request, {
        authorization: `Basic ${Buffer.from(`${user}:${secret}`, "utf8").toString("base64")}`,
      });
    },
  };
}

/** The fault of a template's first value, or of the file where it has none. */
export function fieldProblem(template: Template, problem: string): Error {
  const expression = template.find((part): part is Expression => typeof part === "object");
  return valueProblem(expression ?? { root: "credentials", path: [] }, problem);
}
