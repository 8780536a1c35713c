/** The commands behind a parser, which answers help, wrong arguments and errors. */
import { CommanderError, Command as Parser } from "commander";
import { formatFailure, StrataError } from "../error.js";
import { VERSION } from "../version.js";
import { WRONG_ARGUMENT } from "./arguments.js";
import { type CliContext, type Command, type ExitCode, exitCodes, type OptionValues } from "./command.js";
import { withOwnFiles } from "./with-own-files.js";

const EXIT_CODES = `
Exit codes: 0 done, 1 problems found, 2 wrong usage, 3 failed`;

/** Runs the command named by the arguments. Never rejects. */
export async function runProgram(
  commands: readonly Command[],
  args: readonly string[],
  given: CliContext,
): Promise<ExitCode> {
  const cli = withOwnFiles(given);
  let exitCode: ExitCode = exitCodes.fine;
  const parser = createParser(commands, cli, (code) => {
    exitCode = code;
  });
  try {
    await parser.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    return exitCode;
  } catch (thrown) {
    // Help and version end the parser this way too.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    cli.warn(`strata: ${formatFailure(thrown)}`);
    const isUsage = thrown instanceof StrataError && thrown.code === WRONG_ARGUMENT;
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

function createParser(commands: readonly Command[], cli: CliContext, end: (code: ExitCode) => void): Parser {
  const parser = new Parser("strata")
    .description(`strata ${VERSION}, the context and memory stack for OpenCode`)
    .version(VERSION, "--version", "prints the version")
    .helpOption("-h, --help", "prints this help, or that of a command")
    .helpCommand(false)
    .addHelpText("after", EXIT_CODES)
    .configureOutput({
      writeOut: (text) => cli.say(text.trimEnd()),
      writeErr: (text) => cli.warn(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "strata: ")),
    })
    .showHelpAfterError("strata --help lists the commands; strata COMMAND --help shows one.")
    .exitOverride();
  for (const command of commands) addCommand(parser, command, cli, end);
  return parser;
}

function addCommand(parser: Parser, command: Command, cli: CliContext, end: (code: ExitCode) => void): void {
  const added = parser
    .command(command.name)
    .description(command.summary)
    .addHelpText("after", `\nExample: ${command.example}\n${EXIT_CODES}`)
    .allowExcessArguments(false);
  if (command.arguments !== undefined) added.argument(command.arguments);
  for (const [flags, what] of command.options) added.option(flags, what);
  added.action(async () => {
    const { run } = await command.load();
    end(await run(cli, added.opts<OptionValues>(), added.args));
  });
}
