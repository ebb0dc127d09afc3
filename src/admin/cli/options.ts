import type { TObject } from "typebox";
import { type CommandForm, isLasting } from "./command.ts";

/** An option or positional argument of a command, for parsing and help. */
export interface Option {
  /** The property of the verb's input that the option sets; `null` for options that every command has. */
  readonly property: string | null;
  /** The name without the dashes. */
  readonly name: string;
  readonly kind: "switch" | "value" | "number" | "list" | "fields";
  readonly placeholder: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether the option sets fields of the property, and not the property itself. */
  readonly fills?: true;
  /** The value is the name of a file, and the property gets the file's text. */
  readonly isFile?: true;
  /** The option is accepted, but shown neither in help nor in completion. */
  readonly isHidden?: true;
  /** A letter for the option, after one dash. */
  readonly short?: string;
  /** All allowed values, if they are few. */
  readonly values?: readonly string[];
}

export interface CommandShape {
  readonly positional: readonly Option[];
  readonly options: readonly Option[];
  /** Whether a repeated option overrides the earlier one: users add options to a `start` in an image or a script. */
  readonly lastCounts: boolean;
}

/** The options and arguments of a command, derived from its declaration. */
export function shapeOf(command: CommandForm): CommandShape {
  const byPosition: readonly string[] = command.positional ?? [];
  const all = propertiesOf(command.input);
  const options = all.filter(({ property }) => !byPosition.includes(property!));
  const taken = byPosition.map((name) => all.find(({ property }) => property === name)!);
  return {
    positional: command.stream === undefined ? taken : [...taken, FILE],
    options: [
      ...options.flatMap(spread),
      ...(command.refuseWatch === undefined ? [] : [WATCH]),
      ...(isLasting(command) ? [HELP] : command.terminalOnly === true ? COMMON_IN_TERMINAL : COMMON),
    ],
    lastCounts: isLasting(command),
  };
}

/** The help of an option with more values lists them in its description. */
const VALUES_CHARS_MAX = 40;

function propertiesOf(input: TObject): Option[] {
  return Object.entries(input.properties).map(([property, schema]): Option => {
    const described = schema as PropertySchema;
    const values = described["x-values"] ?? described.enum ?? described.items?.enum;
    return {
      property,
      name: property.replaceAll("_", "-"),
      kind: KINDS[described.type ?? ""] ?? "value",
      placeholder:
        described["x-placeholder"] ??
        (described["x-file"] === true ? "FILE" : undefined) ??
        (values !== undefined && values.join("|").length <= VALUES_CHARS_MAX ? values.join("|") : undefined) ??
        property.toUpperCase(),
      description: described.description ?? "",
      required: input.required?.includes(property) ?? false,
      ...(values !== undefined && { values }),
      ...(described["x-file"] === true && { isFile: true }),
      ...(described["x-hidden"] === true && { isHidden: true }),
      ...(described["x-short"] !== undefined && { short: described["x-short"] }),
    };
  });
}

interface PropertySchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: PropertySchema;
  readonly description?: string;
  /** The placeholder of the value in the help, if it says more than the property's name. */
  readonly "x-placeholder"?: string;
  /** The text of a file. */
  readonly "x-file"?: true;
  /** An option of an earlier version. */
  readonly "x-hidden"?: true;
  readonly "x-short"?: string;
  /** The allowed values, if another place checks them. */
  readonly "x-values"?: readonly string[];
}

const KINDS: Readonly<Record<string, Option["kind"]>> = {
  boolean: "switch",
  integer: "number",
  number: "number",
  array: "list",
  object: "fields",
};

/** Splits an option for an object into three that set its fields, so that a secret need not be on the command line. */
function spread(option: Option): Option[] {
  if (option.kind !== "fields") return [option];
  const { property, required, description } = option;
  const field = { property, required: false, fills: true } as const;
  return [
    {
      ...field,
      required,
      name: "set",
      kind: "list",
      placeholder: "FIELD=VALUE",
      description: `${description}. FIELD:=JSON for a value that is not text`,
    },
    {
      ...field,
      name: "set-env",
      kind: "list",
      placeholder: "FIELD=VARIABLE",
      description: "Takes the field from an environment variable",
    },
    {
      ...field,
      name: "stdin",
      kind: "switch",
      placeholder: "",
      description: "Reads a JSON object of fields from standard input",
    },
  ];
}

/** An option that sets no property of the input: a switch or, with a placeholder, a value. */
function ownOption(name: string, description: string, placeholder = ""): Option {
  const kind = placeholder === "" ? "switch" : "value";
  return { property: null, name, kind, placeholder, description, required: false };
}

/** The file for a command whose result is a text. */
const FILE = ownOption(
  "file",
  "The file to write; it must not exist yet, and only its owner will be able to read it. Standard output by default",
  "FILE",
);

const WATCH = ownOption("watch", "Run it again whenever a file of the project changes, until Ctrl-C");
const HELP = ownOption("help", "This help");

/** The options of every verb. */
const COMMON: readonly Option[] = [
  ownOption("data-dir", "Folder of the embedded store; .datarun by default", "DIR"),
  ownOption("project", "The project folder", "DIR"),
  ownOption(
    "remote",
    "Run the command in the service with this admin address, using the token in DATARUN_OPERATOR_TOKEN",
    "URL",
  ),
  ownOption("json", "Print one JSON value on standard output and nothing else"),
  HELP,
];

/** A service does not run the verb: `--remote`, or its variable, is refused with that reason. */
const COMMON_IN_TERMINAL = COMMON.map((option) =>
  option.name === "remote" ? { ...option, isHidden: true as const } : option,
);
