import { Type } from "../../../terms/schema/type.ts";
import { closed, template } from "../format/format-words.ts";
import { parseTemplate } from "../request/template.ts";
import { authKind, inOneHeader } from "./auth-kind.ts";

const Bearer = Type.Object(
  { kind: Type.Literal("bearer"), token: template("The token.") },
  { ...closed, description: "`Authorization: Bearer …`." },
);

export const bearer = authKind({
  schema: Bearer,
  compile: (file, { known, place }) => ({
    step: inOneHeader("authorization", ["Bearer ", ...parseTemplate(file.token, known, place.in("token"))]),
  }),
});
