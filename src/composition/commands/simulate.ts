import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { MAGIC } from "../../simulation/magic-inputs.ts";
import { portOption } from "./option-schemas.ts";

const PORT = 8090;

export default defineCommand({
  summary: "Simulate the vendors of the catalog and of your project on one local port",
  description: `The vendors answer from the cases of their sources. Replace the scheme and host of a vendor's address with the address printed here, and keep the path. To ask for a failure, send the header x-datarun-simulate, or a query value such as simulate:timeout. Stop with Ctrl-C. The failures are ${MAGIC.join(", ")}.`,
  example: "--project my-project --port 0",
  input: Type.Object(
    {
      project: Type.Optional(Type.String({ description: "The project folder", "x-placeholder": "DIR" })),
      port: portOption(`The port; ${PORT} by default`),
    },
    { additionalProperties: false },
  ),
  begin: async ({ port = PORT, ...given }) => (await import("./serve-vendors.ts")).serveVendors({ ...given, port }),
});
