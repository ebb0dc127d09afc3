import { Type } from "../../../terms/schema/type.ts";
import { closed, template } from "../format/format-words.ts";
import { asItIs } from "../request/encodings.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, fieldProblem, withHeaders } from "./auth-kind.ts";

const Basic = Type.Object(
  {
    kind: Type.Literal("basic"),
    username: template("The user."),
    password: template("The password, which may be empty."),
  },
  { ...closed, description: "HTTP Basic authentication." },
);

export const basic = authKind({
  schema: Basic,
  compile(file, { known, place }) {
    const username = parseTemplate(file.username, known, place.in("username"));
    const password = parseTemplate(file.password, known, place.in("password"));
    return {
      step: {
        headerNames: ["authorization"],
        apply(request, values) {
          const user = fill(username, values, asItIs);
          const secret = fill(password, values, asItIs);
          if (user === undefined || secret === undefined) return request;
          // The first colon ends the user name; the vendor would read the rest as the password.
          if (user.includes(":")) throw fieldProblem(username, "must not contain a colon");
          const encoded = Buffer.from(`${user}:${secret}`, "utf8").toString("base64");
          return withHeaders(request, { authorization: `Basic ${encoded}` });
        },
      },
    };
  },
});
