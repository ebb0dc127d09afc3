import { defineCommand } from "../../admin/cli/command.ts";
import { MAGIC } from "../../simulation/magic-inputs.ts";
import { Type } from "../../terms/schema/type.ts";
import { portOption, textOption } from "./option-schemas.ts";

const DEFAULTS = { host: "127.0.0.1", port: 8070, adminPort: 8071, token: "drt_mock", workflow: "wfl_mock" };

export default defineCommand({
  summary: "Start a simulated service for the tests of its callers",
  description: `Takes the same requests as the service and answers them from the cases of the sources: no vendor is called, nothing is stored, and every answer says that it is simulated. It prints one line of JSON when it is ready. Stop with Ctrl-C. With --set, a vendor can be made to do one of: ${MAGIC.join(", ")}.`,
  example: "--port 0 --admin-port 0 --set gleif__lei_record=timeout",
  input: Type.Object(
    {
      port: portOption(`The port; ${DEFAULTS.port} by default`),
      admin_port: portOption(`The port on which a test reads the requests received; ${DEFAULTS.adminPort} by default`),
      host: textOption(`The address of both ports; ${DEFAULTS.host} by default, 0.0.0.0 in a container`, "ADDRESS"),
      project: textOption("The project folder", "DIR"),
      token: textOption(`The access token that it takes; ${DEFAULTS.token} by default`, "TEXT"),
      workflow: textOption(`The workflow that it takes; ${DEFAULTS.workflow} by default`, "TEXT"),
      failure_details: Type.Optional(
        Type.Boolean({
          description: "Failed entries have the field failure; on by default, as in a new workflow",
        }),
      ),
      set: Type.Optional(
        Type.Array(Type.String(), {
          description: "The failure of a source's vendor, unless a request asks for another",
          "x-placeholder": "SOURCE=FAILURE",
        }),
      ),
      timeout_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 600_000,
          description:
            "The longest time that any source waits for its vendor; by default, the time that each source declares",
          "x-placeholder": "N",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  async begin({ admin_port: adminPort, failure_details: failureDetails = true, timeout_ms: timeoutMs, ...given }) {
    const { serveMock } = await import("./serve-mock.ts");
    const { project, set = [], ...named } = given;
    const chosen = { ...DEFAULTS, ...named, ...(adminPort === undefined ? {} : { adminPort }) };
    return serveMock({ ...chosen, project, set, failureDetails, timeoutMs });
  },
});
