/** Runs a command line and prints: nothing here runs by being imported. */

import { once } from "node:events";
import { CommanderError, Command as Parser } from "commander";
import { formatFailure, StrataError } from "../base/error.js";
import { hasUnicode, toASCIISigns, toPrintable } from "../base/printable.js";
import { VERSION } from "../base/version.js";
import {
  CLEARED,
  type CliContext,
  COMPLETE,
  type Command,
  type ExitCode,
  exitCodes,
  findCalled,
  type OptionValues,
  readOptions,
  WRONG_ARGUMENT,
} from "../operations/command.js";
import { withSafeFiles } from "../operations/project.js";

/* The commands behind a parser, which answers help, wrong arguments and errors. */

const EXIT_CODES = `
Exit codes: 0 done, 1 problems found, 2 wrong usage, 3 failed`;
const HELP = "strata --help lists the commands; strata COMMAND --help shows one.";

export async function runProgram(
  commands: readonly Command[],
  args: readonly string[],
  given: CliContext,
): Promise<ExitCode> {
  const cli = withSafeFiles(given);
  if (args[0] === COMPLETE) return (await import("./complete.js")).complete(commands, cli, args.slice(1));
  let exitCode: ExitCode = exitCodes.fine;
  try {
    const asked = args[0] === "help" ? [...args.slice(1), "--help"] : args[0] === "--" ? args.slice(1) : args;
    const called = findCalled(commands, asked);
    const { command, phrase = "", rest = [] } = called ?? {};
    if (command?.was?.includes(phrase)) cli.warn(`strata: ${phrase} is now: strata ${command.name}`);
    const overview = planOverview(commands, asked);
    const words = command ? rest : overview.words;
    const end = (code: ExitCode): void => {
      exitCode = code;
    };
    const parser = command
      ? await createCommandParser(command, commands, cli, end)
      : createOverviewParser(commands, overview, cli);
    await parser.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (thrown) {
    // Help and version end the parser this way too.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    cli.warn(`strata: ${formatFailure(thrown)}`);
    const isUsage = thrown instanceof StrataError && thrown.code === WRONG_ARGUMENT;
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

type Overview = { group?: string; words: readonly string[] };

/** What is shown if no command is called: all of them, or those of a group. */
function planOverview(commands: readonly Command[], [word = "", ...rest]: readonly string[]): Overview {
  if (commands.some(({ name }) => name.startsWith(`${word} `)))
    return { group: word, words: rest.length === 0 ? ["--help"] : rest.slice(0, 1) };
  return { words: word === "" ? ["--help"] : [word] };
}

const createParser = (name: string, cli: CliContext): Parser =>
  new Parser(name)
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => cli.say(text.trimEnd()),
      writeErr: (text) => cli.warn(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "strata: ")),
    })
    .exitOverride();

/**
 * Answers help, version and unknown words, of a group too. A mistyped word must not lead to a command that deletes,
 * publishes or accepts something: only those that read are suggested.
 */
function createOverviewParser(
  commands: readonly Command[],
  { group, words: [word = ""] }: Overview,
  cli: CliContext,
): Parser {
  const parser = createParser(group === undefined ? "strata" : `strata ${group}`, cli)
    .helpOption("-h, --help", "prints this help, or that of a command")
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError(HELP);
  if (group === undefined)
    parser
      .description(`strata ${VERSION}, the context and memory stack for OpenCode`)
      .version(VERSION, "-v, --version", "prints the version");
  const before = group === undefined ? "" : `${group} `;
  const within = commands.flatMap(({ name, reads, summary }) =>
    name.startsWith(before) ? [{ name: name.slice(before.length), reads, summary }] : [],
  );
  const reading = within.filter(({ name, reads }) => reads && !name.includes(" "));
  for (const { name, summary } of word.startsWith("-") ? listHeads(within) : reading)
    parser.command(name).description(summary);
  return parser;
}

/** The commands; those of a group are one, with the words that can follow it. */
function listHeads(commands: readonly Pick<Command, "name" | "summary">[]) {
  const heads = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  return heads.map((head) => {
    const own = commands.find(({ name }) => name === head);
    const words = commands.flatMap(({ name }) =>
      name.startsWith(`${head} `) ? name.slice(head.length + 1) : [],
    );
    const after = words.join(", ");
    return { name: head, summary: own ? own.summary + (after && `; also ${after}`) : `one memory: ${after}` };
  });
}

async function createCommandParser(
  command: Command,
  commands: readonly Command[],
  cli: CliContext,
  end: (code: ExitCode) => void,
): Promise<Parser> {
  const parser = createParser(`strata ${command.name}`, cli)
    .description(command.summary)
    .helpOption("-h, --help", "display help for command")
    .addHelpText("after", `\nExample: ${command.example}\n${formatOthers(command, commands)}${EXIT_CODES}`)
    .showHelpAfterError(command.hint === undefined ? HELP : `${command.hint}\n${HELP}`)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  if (command.arguments !== undefined) parser.argument(command.arguments);
  for (const [flags, what] of await readOptions(command)) parser.option(flags, what);
  return parser.action(async () => {
    const { run } = await command.load();
    end(await run(cli, parser.opts<OptionValues>(), parser.args));
  });
}

function formatOthers({ aliases = [], name }: Command, commands: readonly Command[]): string {
  const group = commands.filter((one) => one.name.startsWith(`${name} `)).map((one) => one.name);
  const format = (label: string, names: readonly string[]): string =>
    names.length === 0 ? "" : `${label}: ${names.map((word) => `strata ${word}`).join(", ")}\n`;
  return format("Other names", aliases) + format("Also", group);
}

/* Prints to two streams, each a terminal, a pipe or closed. Text from a file cannot send control sequences to them. */

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * A reader that stops early, such as `head`, is not an error: the command finishes its work, and what it prints after
 * that is dropped.
 */
export function createTerminal(
  stdout: Output,
  stderr: Output,
  env: CliContext["env"] = {},
): Pick<CliContext, "say" | "warn" | "draw"> {
  const isPlain = !hasUnicode(env);
  const closed = new Set<Output>();
  for (const stream of [stdout, stderr])
    stream.on("error", (error) => {
      if (error.code !== "EPIPE") throw error;
      closed.add(stream);
    });
  let isDrawn = false;
  const write = (stream: Output, text: string): void => {
    if (!closed.has(stream)) stream.write(isPlain && stream.isTTY ? toASCIISigns(text) : text);
  };
  const print = (stream: Output, text: string): void => {
    if (isDrawn) write(stderr, CLEARED);
    isDrawn = false;
    write(stream, `${text}\n`);
  };
  const draw = (text: string): void => {
    isDrawn = text !== CLEARED;
    write(stderr, text);
  };
  return {
    // Styles are chosen for standard output; standard error may be a file all the same.
    say: (text) => print(stdout, toPrintable(text, { withStyles: stdout.isTTY === true })),
    warn: (text) => print(stderr, toPrintable(text, { withStyles: stderr.isTTY === true })),
    ...(stderr.isTTY === true && { draw }),
  };
}

export function createQuestions(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Required<Pick<CliContext, "ask" | "press">> {
  return {
    async ask(question) {
      const { createInterface } = await import("node:readline/promises");
      const asking = createInterface({ input, output });
      const answer = await asking.question(`${toPrintable(question)} [y/N] `).finally(() => asking.close());
      return /^y(es)?$/i.test(answer.trim());
    },
    async press(question) {
      output.write(`${toPrintable(question)} `);
      input.setRawMode(true);
      const [key] = await once(input, "data");
      input.setRawMode(false).pause();
      output.write("\n");
      return String(key).toLowerCase();
    },
  };
}
