/** Every command of the command line, in the order of the help, and how an operation becomes one. */

import type { z } from "zod";
import {
  type CliContext,
  type Command,
  type ExitCode,
  exitCodes,
  JSON_OPTION,
  type Option,
  type OptionValues,
  readList,
} from "../operations/command.js";
import type { OperationEntry } from "../operations/operation.js";
import { isInAgentsShell, openProject } from "../operations/project.js";
import { operations } from "../operations/table.js";

/** What is no question and answer about an open project. */
const others: readonly Command[] = [
  {
    name: "learn",
    summary:
      "learns memories from past conversations: JSON Lines {id, session, role, text, at}, or files of opencode export",
    arguments: "[files...]",
    options: [
      ["--sessions", "also OpenCode's own sessions of this project; starts opencode to read them"],
      ["--server <url>", "reads the sessions from this running OpenCode server"],
      ["--judge", "your small model judges what may be worth keeping; states the cost first, and asks"],
      ["--budget <tokens>", "with --judge: most tokens to spend (default: 1.5 times the estimate)"],
      ["--yes", "with --judge: does not ask"],
      ["--dry-run", "shows what would be kept"],
      ["--json", "prints one JSON object a line"],
    ],
    example: "strata learn conversations.jsonl --dry-run --json",
    hint: "learn reads past conversations; strata remember --tag TOPIC 'CONTENT' stores a memory.",
    load: () => import("./commands/learn.js"),
  },
  {
    name: "completion",
    summary: "prints a script that completes commands, options, and ids and titles of memories",
    arguments: "<shell>",
    options: [],
    example: [
      "strata completion bash >> ~/.bashrc",
      "strata completion zsh >> ~/.zshrc",
      "strata completion fish > ~/.config/fish/completions/strata.fish",
    ].join("\n         "),
    first: ["bash", "zsh", "fish"],
    reads: true,
    load: async () => ({ run: (await import("./complete.js")).printScript }),
  },
  {
    name: "mcp",
    summary: "serves the memories to other agents (MCP over standard input); install configures a client",
    arguments: "[words...]",
    options: async () => [
      ["--tools <names>", "all, or names separated by commas (default: the few that most agents need)"],
      ["--private", "also serves private memories"],
      ["--project <folder>", "the project in this folder (default: the working directory)"],
      ["--for <client>", `with install: ${(await import("../mcp/mcp.js")).clientNames.join(", ")}`],
    ],
    example: "strata mcp install --for claude-code",
    first: ["install"],
    load: () => import("../mcp/mcp.js"),
  },
  {
    name: "serve",
    summary: "serves the memories on this machine to other agents, a browser and monitoring; Ctrl-C stops it",
    options: [
      ["--all", "serves all projects in which Strata has run on this machine"],
      ["--port <number>", "port (default 9824; 0 for any free port)"],
      [
        "--host <address>",
        "address to listen on (default 127.0.0.1); one that others can reach needs STRATA_API_KEY",
      ],
      [
        "--allow-host <names>",
        "further host names under which clients reach the server, separated by commas",
      ],
      ["--rate-limit <count>", "requests per minute with the key (default 60)"],
      [
        "--tools <names>",
        "tools for other agents: all, or names separated by commas (default: the few that most agents need)",
      ],
      ["--private", "also lets other agents read private memories"],
      ["--open", "opens the inspector in the browser"],
      ["--check", "prints what /health would answer, and serves nothing"],
      JSON_OPTION,
    ],
    example: "strata serve --all --port 9000",
    load: () => import("./commands/serve.js"),
  },
  {
    name: "init",
    summary: "adds the plugin to this project's opencode.json and tui.json; safe to run twice",
    options: [
      ["--global", "uses the global configuration, for every project"],
      ["--remove", "removes the plugin again"],
      [
        "--purge",
        "with --remove: also deletes what the plugin wrote in this project, or with --global in your home; asks first",
      ],
      ["--yes", "with --purge: does not ask"],
    ],
    example: "strata init --global",
    load: () => import("./commands/init.js"),
  },
];

/** `strata stats --open` is another command. */
const OPEN_OPTION: Option = ["--open", "opens the inspector in your browser; Ctrl-C stops it"];
const openInspector = async (cli: CliContext): Promise<ExitCode> =>
  (await import("./commands/serve.js")).run(cli, { open: true, port: "0" }, []);

export const commands: readonly Command[] = [...Object.values(operations).flatMap(toCommand), ...others];

/* An operation as a command: options and words become its input, its answer is printed. */

function toCommand(entry: OperationEntry): Command[] {
  const { does, effect, example, load, takes, ...words } = entry;
  if (example === undefined) return [];
  const isStats = entry === operations.stats;
  return [
    {
      ...(takes !== undefined && { arguments: "[words...]" }),
      ...words,
      ...{ example, summary: does },
      ...(effect === "reads" && { reads: true }),
      options: async () => [
        ...(isStats ? [OPEN_OPTION] : []),
        ...listOptions((await load()).input, takes),
        JSON_OPTION,
      ],
      load: async () => ({
        run: (cli, options, args) =>
          isStats && options.open === true ? openInspector(cli) : run(entry, cli, options, args),
      }),
    },
  ];
}

/** `--older-than <days>` and what it does, for each field but the one that takes the words. */
function listOptions({ shape }: z.ZodObject, takes: string | undefined): Option[] {
  return Object.entries(shape).flatMap(([field, schema]) => {
    const { description } = schema as z.ZodType;
    if (field === takes || description === undefined) return [];
    const { isFlag, placeholder = field } = readField(schema as z.ZodType);
    const value = placeholder.startsWith("[") ? placeholder : `<${placeholder}>`;
    return [[isFlag ? flagOf(field) : `${flagOf(field)} ${value}`, description] as const];
  });
}

const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Looks below optional and default. */
function readField(schema: z.ZodType) {
  let inner = schema;
  let value: unknown;
  for (;;) {
    value ??= inner.meta()?.value;
    const { innerType, out, type } = inner.def as { type: string; innerType?: z.ZodType; out?: z.ZodType };
    const next = innerType ?? out;
    if (!next)
      return {
        isFlag: type === "boolean",
        isNumber: type === "number",
        isList: type === "array",
        placeholder: typeof value === "string" ? value : undefined,
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
  // The parser has no other false than that of an option whose name begins with "no".
  for (const [field, value] of Object.entries(options))
    if (value === false) given[`no${field.charAt(0).toUpperCase()}${field.slice(1)}`] = true;
    else given[field] = convert(input.shape[field], value);
  if (entry.takes !== undefined && args.length > 0)
    given[entry.takes] = readField(input.shape[entry.takes] as z.ZodType).isList ? args : args.join(" ");
  const operation = await import("../operations/operation.js");
  // Wrong usage opens nothing.
  const nameOf = (field: string): string => (field === entry.takes ? `strata ${entry.name}` : flagOf(field));
  operation.readInput(input, given, nameOf);
  // A program presses no key.
  const { press: _, ...unattended } = cli;
  const project = await openProject(json ? unattended : cli);
  // Reading is open to both, and loads no more for the question.
  const isAgents =
    entry.effect === "reads"
      ? await isInAgentsShell(cli)
      : await (await import("../operations/open-memories.js")).isAgents(project);
  const caller = isAgents ? "agent" : "person";
  const answer = entry.isForTerminal
    ? await operation.perform(operation.createTerminalCore(project, caller), entry, given, nameOf)
    : await operation.withCore(project, caller, (core) => operation.perform(core, entry, given, nameOf));
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
  return isList ? readList(value) : value;
}
