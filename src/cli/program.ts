/** The commands behind a parser, which answers help, wrong arguments and errors. */
import { CommanderError, Command as Parser } from "commander";
import { findClosestName } from "../config/allowed.js";
import { formatFailure, StrataError } from "../error.js";
import { VERSION } from "../version.js";
import { WRONG_ARGUMENT } from "./arguments.js";
import { type CliContext, type Command, type ExitCode, exitCodes, type OptionValues } from "./command.js";
import { withOwnFiles } from "./with-own-files.js";

const EXIT_CODES = `
Exit codes: 0 done, 1 problems found, 2 wrong usage, 3 failed`;
/** Commands that only read what is yours. A suggestion must never lead to one that shows or deletes more than was meant. */
const SUGGESTED = "status stats sessions context list show recall history validate doctor help".split(" ");

/** Runs the command named by the arguments. Never rejects. */
export async function runProgram(
  commands: readonly Command[],
  args: readonly string[],
  given: CliContext,
): Promise<ExitCode> {
  const cli = withOwnFiles(given);
  let exitCode: ExitCode = exitCodes.fine;
  const meant = expandAlias(commands, args);
  const parser = createParser(commands, cli, {
    suggestion: findSuggestion(commands, meant),
    end(code) {
      exitCode = code;
    },
  });
  try {
    await parser.parseAsync(meant.length === 0 ? ["--help"] : [...meant], { from: "user" });
    return exitCode;
  } catch (thrown) {
    // Help and version end the parser this way too.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    cli.warn(`strata: ${formatFailure(thrown)}`);
    const isUsage = thrown instanceof StrataError && thrown.code === WRONG_ARGUMENT;
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** `push now` is `sync push now`, `help push` is `help sync`. */
export function expandAlias(commands: readonly Command[], args: readonly string[]): readonly string[] {
  const [word = "", ...more] = args;
  if (word === "help") return [word, ...expandAlias(commands, more).slice(0, 1)];
  for (const { aliases, name } of commands)
    if (aliases && Object.hasOwn(aliases, word)) return [name, ...(aliases[word] ?? []), ...more];
  return args;
}

/** Instead of the parser's own suggestions, which know nothing of what a command or an option does. */
function findSuggestion(commands: readonly Command[], args: readonly string[]): string {
  const word = (args[0] === "help" ? args[1] : args[0]) ?? "-";
  if (word.startsWith("-") || commands.some(({ name }) => name === word)) return "";
  const meant = findClosestName(word, SUGGESTED);
  return meant === undefined ? "" : `Did you mean ${meant}?\n`;
}

interface Parsing {
  suggestion: string;
  end(code: ExitCode): void;
}

function createParser(commands: readonly Command[], cli: CliContext, { end, suggestion }: Parsing): Parser {
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
    .showSuggestionAfterError(false)
    .showHelpAfterError(`${suggestion}strata --help lists the commands; strata COMMAND --help shows one.`)
    .exitOverride();
  for (const command of commands) addCommand(parser, command, cli, end);
  parser
    .command("help")
    .argument("[command]")
    .description("prints this help, or that of a command")
    .action((name?: string) => {
      const named = name === undefined ? parser : parser.commands.find((one) => one.name() === name);
      if (!named) parser.error(`error: unknown command '${name}'`);
      named?.outputHelp();
    });
  return parser;
}

function addCommand(parser: Parser, command: Command, cli: CliContext, end: (code: ExitCode) => void): void {
  const also = Object.keys(command.aliases ?? {}).map((name) => `strata ${name}`);
  const added = parser
    .command(command.name)
    .description(command.summary)
    .addHelpText("after", also.length === 0 ? "" : `\nAlso: ${also.join(", ")}`)
    .addHelpText("after", `\nExample: ${command.example}\n${EXIT_CODES}`)
    .allowExcessArguments(false);
  if (command.arguments !== undefined) added.argument(command.arguments);
  for (const [flags, what] of command.options) added.option(flags, what);
  added.action(async () => {
    const { run } = await command.load();
    end(await run(cli, added.opts<OptionValues>(), added.args));
  });
}
