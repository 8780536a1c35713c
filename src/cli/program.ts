/** The commands behind a parser, which answers help, wrong arguments and errors. */
import { CommanderError, Command as Parser } from "commander";
import { formatFailure, StrataError } from "../base/error.js";
import { VERSION } from "../base/version.js";
import { WRONG_ARGUMENT } from "../operations/arguments.js";
import {
  type CliContext,
  COMPLETE,
  type Command,
  type ExitCode,
  exitCodes,
  findCommand,
  type OptionValues,
} from "../operations/command.js";
import { withOwnFiles } from "../operations/with-own-files.js";

const EXIT_CODES = `
Exit codes: 0 done, 1 problems found, 2 wrong usage, 3 failed`;
const HELP = "strata --help lists the commands; strata COMMAND --help shows one.";

/** Runs the command named by the arguments. Never rejects. */
export async function runProgram(
  commands: readonly Command[],
  args: readonly string[],
  given: CliContext,
): Promise<ExitCode> {
  const cli = withOwnFiles(given);
  if (args[0] === COMPLETE) return (await import("./complete.js")).complete(commands, cli, args.slice(1));
  let exitCode: ExitCode = exitCodes.fine;
  const { offered, words } = planParsing(commands, args[0] === "--" ? args.slice(1) : args);
  const parser = createParser(offered, cli, (code) => {
    exitCode = code;
  });
  try {
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

/**
 * What to parse, with `help` and aliases as the words that they stand for. A word that names no command is parsed alone
 * and among the commands that only read, of which the parser suggests similar ones: a mistyped word must not lead to a
 * command that deletes, publishes or accepts something.
 */
function planParsing(
  commands: readonly Command[],
  args: readonly string[],
): { offered: readonly Command[]; words: string[] } {
  const [word = "--help", ...rest] = args[0] === "help" ? [...args.slice(1, 2), "--help"] : args;
  if (/^--?\w/.test(word)) return { offered: commands, words: [word, ...rest] };
  const command = findCommand(commands, word);
  if (!command) return { offered: commands.filter(({ reads }) => reads), words: [word] };
  const isArgument = word !== command.name && (command.first ?? []).includes(word);
  const [, ...options] = command.aliases?.find((alias) => alias.startsWith(`${word} `))?.split(" ") ?? [];
  return { offered: commands, words: [command.name, ...(isArgument ? [word] : []), ...options, ...rest] };
}

function createParser(commands: readonly Command[], cli: CliContext, end: (code: ExitCode) => void): Parser {
  const parser = new Parser("strata")
    .description(`strata ${VERSION}, the context and memory stack for OpenCode`)
    .version(VERSION, "-v, --version", "prints the version")
    .helpOption("-h, --help", "prints this help, or that of a command")
    .helpCommand(false)
    .addHelpText("after", EXIT_CODES)
    .configureOutput({
      writeOut: (text) => cli.say(text.trimEnd()),
      writeErr: (text) => cli.warn(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "strata: ")),
    })
    .showHelpAfterError(HELP)
    .exitOverride();
  for (const command of commands) addCommand(parser, command, cli, end);
  return parser;
}

function addCommand(parser: Parser, command: Command, cli: CliContext, end: (code: ExitCode) => void): void {
  const added = parser
    .command(command.name)
    .description(command.summary)
    .addHelpText("after", `\nExample: ${command.example}\n${formatAliases(command)}${EXIT_CODES}`)
    .showHelpAfterError(command.hint === undefined ? HELP : `${command.hint}\n${HELP}`)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  if (command.arguments !== undefined) added.argument(command.arguments);
  for (const [flags, what] of command.options) added.option(flags, what);
  added.action(async () => {
    const { run } = await command.load();
    end(await run(cli, added.opts<OptionValues>(), added.args));
  });
}

const formatAliases = ({ aliases = [] }: Command): string =>
  aliases.length === 0 ? "" : `Also: ${aliases.map((alias) => `strata ${alias}`).join(", ")}\n`;
