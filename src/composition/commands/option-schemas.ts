import { Type } from "../../terms/schema/type.ts";

/** Options that several commands have. */

export function textOption(description: string, placeholder: string) {
  return Type.Optional(Type.String({ minLength: 1, description, "x-placeholder": placeholder }));
}

export function portOption(description: string) {
  return Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: `${description}, 0 for any free one`,
      "x-placeholder": "N",
      "x-says": "must be from 0 to 65535",
    }),
  );
}

export const jsonOption = Type.Optional(
  Type.Boolean({ description: "Print one JSON value on standard output and nothing else" }),
);

/** The deployment whose verbs a command asks. */
export const deploymentOptions = {
  data_dir: textOption("Folder of the embedded store; .datarun by default", "DIR"),
  project: textOption("The project folder", "DIR"),
  remote: textOption("The admin address of the service, for which the token is in DATARUN_OPERATOR_TOKEN", "URL"),
};
