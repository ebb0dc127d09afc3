import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { closed, template } from "../format/format-words.ts";
import { asItIs } from "../request/encodings.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, fieldProblem, withHeaders, type AuthSetting, type AuthStep } from "./auth-kind.ts";

const Basic = Type.Object(
  {
    kind: Type.Literal("basic"),
    username: template("The user."),
    password: template("The password, which may be empty."),
  },
  { ...closed, description: "HTTP Basic authentication." },
);

export const basic = authKind({ schema: Basic, compile: (file, setting) => ({ step: compileBasic(file, setting) }) });

function compileBasic(auth: Static<typeof Basic>, { known, place }: AuthSetting): AuthStep {
  const username = parseTemplate(auth.username, known, place.in("username"));
  const password = parseTemplate(auth.password, known, place.in("password"));
  return {
    headerNames: ["authorization"],
    queryNames: [],
    apply(request, values) {
      const user = fill(username, values, asItIs);
      const secret = fill(password, values, asItIs);
      if (user === undefined || secret === undefined) return request;
      // The first colon ends the user name; the vendor would read the rest as the password.
      if (user.includes(":")) throw fieldProblem(username, "must not contain a colon");
      return withHeaders(request, {
        authorization: `Basic ${Buffer.from(`${user}:${secret}`, "utf8").toString("base64")}`,
      });
    },
  };
}
