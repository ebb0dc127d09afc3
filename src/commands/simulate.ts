import { Type } from "../terms/type.ts";
import { defineCommand } from "../cli/command.ts";
import { MAGIC } from "../simulation/magic-inputs.ts";

const PORT = 8090;

export default defineCommand({
  summary: "Play the vendors of the catalog and of your project on one local port",
  description: `They answer from the cases of their sources. Where a vendor is https://host/path, point your client at the address printed here and keep the path. Stop it with Ctrl-C. A failure is asked for by the header x-datarun-simulate, or by a query value such as simulate:timeout: ${MAGIC.join(", ")}.`,
  example: "--project my-project --port 0",
  input: Type.Object(
    {
      project: Type.Optional(Type.String({ description: "The project folder", "x-placeholder": "DIR" })),
      port: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 65_535,
          description: `The port; ${PORT} unless given, 0 for any free one`,
          "x-placeholder": "N",
          "x-says": "must be from 0 to 65535",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  begin: async ({ port = PORT, ...given }) => (await import("./serve-vendors.ts")).serveVendors({ ...given, port }),
});
