/** The command line as a door: options and words become an operation's input, its answer is printed. */
import type { z } from "zod";
import {
  type CliContext,
  type Command,
  type ExitCode,
  exitCodes,
  JSON_OPTION,
  type Option,
  type OptionValues,
  type Run,
} from "../operations/command.js";
import type { OperationEntry } from "../operations/operation.js";
import { isInAgentsShell, openProject } from "../operations/project.js";

/** What only the command line says of an operation. */
interface Shown
  extends Partial<Pick<Command, "aliases" | "arguments" | "first" | "name" | "was" | "wasFor">> {
  /** An option with which another command runs instead. */
  instead?: { option: Option; run: Run };
}

export function commandOf(
  entry: OperationEntry,
  example: string,
  { instead, ...shown }: Shown = {},
): Command {
  const name = shown.name ?? entry.name;
  return {
    summary: entry.does,
    ...(entry.takes !== undefined && { arguments: "[words...]" }),
    ...(entry.effect === "reads" && { reads: true }),
    options: async () => [
      ...(instead ? [instead.option] : []),
      ...listOptions((await entry.load()).input, entry.takes),
      JSON_OPTION,
    ],
    load: async () => ({
      run: (cli, options, args) =>
        instead && options[instead.option[0].slice("--".length)] === true
          ? instead.run(cli, options, args)
          : run({ ...entry, name }, cli, options, args),
    }),
    ...shown,
    ...{ example, name },
  };
}

/** `--older-than <days>` and what it does, for each field but the one that takes the words. */
function listOptions({ shape }: z.ZodObject, takes: string | undefined): Option[] {
  return Object.entries(shape).flatMap(([field, schema]) => {
    const { description } = schema as z.ZodType;
    if (field === takes || description === undefined) return [];
    const { isFlag, value = field } = readField(schema as z.ZodType);
    const placeholder = value.startsWith("[") ? value : `<${value}>`;
    return [[isFlag ? flagOf(field) : `${flagOf(field)} ${placeholder}`, description] as const];
  });
}

const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Looks below optional and default. */
function readField(schema: z.ZodType): {
  isFlag: boolean;
  isNumber: boolean;
  isList: boolean;
  value?: string;
} {
  let inner = schema;
  let value: unknown;
  for (;;) {
    value ??= inner.meta()?.value;
    const { innerType, out, type } = inner.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
    const next = innerType ?? out;
    if (!next)
      return {
        ...{ isFlag: type === "boolean", isNumber: type === "number", isList: type === "array" },
        ...(typeof value === "string" && { value }),
      };
    inner = next;
  }
}

async function run(
  entry: OperationEntry,
  cli: CliContext,
  { json, ...options }: OptionValues,
  args: readonly string[],
): Promise<ExitCode> {
  const { input } = await entry.load();
  const given: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(options)) given[field] = convert(input.shape[field], value);
  if (entry.takes !== undefined && args.length > 0)
    given[entry.takes] = readField(input.shape[entry.takes] as z.ZodType).isList ? args : args.join(" ");
  const [operation, opening] = await Promise.all([
    import("../operations/operation.js"),
    import("../operations/core.js"),
  ]);
  // Wrong usage opens nothing.
  const nameOf = (field: string): string => (field === entry.takes ? `strata ${entry.name}` : flagOf(field));
  operation.readInput(input, given, nameOf);
  const caller = (await isInAgentsShell(cli)) ? "agent" : "person";
  const project = await openProject(cli);
  const answer = entry.isForTerminal
    ? await operation.perform(opening.createTerminalCore(project, caller), entry, given, nameOf)
    : await opening.withCore(project, caller, (core) => operation.perform(core, entry, given, nameOf));
  const { data, isProblem, notes = [], text } = answer;
  if (json && data !== undefined) cli.say(JSON.stringify(data, null, 2));
  else if (text !== "") cli.say(text);
  // Standard error: what a change was told must not be lost, and what only reads is quiet for a program.
  for (const note of json && entry.effect === "reads" ? [] : notes) cli.warn(note);
  return isProblem ? exitCodes.problems : exitCodes.fine;
}

/** An option's text as its field wants it; what does not fit is left for the check. */
function convert(schema: unknown, value: string | boolean | undefined): unknown {
  if (typeof value !== "string") return value;
  const { isList, isNumber } = readField(schema as z.ZodType);
  if (isNumber) return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
  if (!isList) return value;
  return value
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
