/** Puts the commands behind a parser: help, wrong arguments, and what is thrown. */
import { CommanderError, Command as Parser } from "commander";
import { formatError, StrataError } from "../error.js";
import { createOwnFiles } from "../own-files.js";
import { VERSION } from "../version.js";
import { WRONG_ARGUMENT } from "./arguments.js";
import { type Command, type ExitCode, exitCodes, type OptionValues, type Surroundings } from "./command.js";

const EXIT_CODES = `
Exit codes: 0 fine, 1 something was found that wants looking after, 2 not understood, 3 could not be done`;

/** Runs the command that the arguments name. Never rejects. */
export async function runProgram(
  commands: readonly Command[],
  args: readonly string[],
  given: Surroundings,
): Promise<ExitCode> {
  const surroundings = withOwnFiles(given);
  let exitCode: ExitCode = exitCodes.fine;
  const parser = createParser(commands, surroundings, (code) => {
    exitCode = code;
  });
  try {
    await parser.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    return exitCode;
  } catch (thrown) {
    // Help and version end the parser in this way too.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    const why = thrown instanceof StrataError ? thrown.message : formatError(thrown);
    surroundings.warn(`strata: ${why}`);
    const isUsage = thrown instanceof StrataError && thrown.code === WRONG_ARGUMENT;
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** No command reads or writes behind a link that a repository has brought. */
function withOwnFiles(given: Surroundings): Surroundings {
  return {
    ...given,
    files: createOwnFiles({
      files: given.files,
      clock: given.clock,
      listLinked: async () => {
        // Nearly nobody has such a link, and the settings take their time to load.
        const [{ requireProject }, { readSettings }] = await Promise.all([
          import("./project.js"),
          import("./settings.js"),
        ]);
        const { config } = await readSettings(given, await requireProject(given));
        return config.linkedFolders;
      },
      report: (message) => given.warn(`strata: ${message}`),
    }),
  };
}

function createParser(
  commands: readonly Command[],
  surroundings: Surroundings,
  end: (code: ExitCode) => void,
): Parser {
  const parser = new Parser("strata")
    .description(`strata ${VERSION}, the context and memory stack for OpenCode`)
    .version(VERSION, "--version", "the version")
    .helpOption("-h, --help", "this help, or that of a command")
    .helpCommand(false)
    .addHelpText("after", EXIT_CODES)
    .configureOutput({
      writeOut: (text) => surroundings.say(text.trimEnd()),
      writeErr: (text) => surroundings.warn(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "strata: ")),
    })
    .showHelpAfterError("strata --help lists the commands, strata COMMAND --help what one takes.")
    .exitOverride();
  for (const command of commands) addCommand(parser, command, surroundings, end);
  return parser;
}

function addCommand(
  parser: Parser,
  command: Command,
  surroundings: Surroundings,
  end: (code: ExitCode) => void,
): void {
  const added = parser
    .command(command.name)
    .description(command.summary)
    .addHelpText("after", `\nExample: ${command.example}\n${EXIT_CODES}`)
    .allowExcessArguments(false);
  if (command.arguments !== undefined) added.argument(command.arguments);
  for (const [flags, what] of command.options) added.option(flags, what);
  added.action(async () => {
    const { run } = await command.load();
    end(await run(surroundings, added.opts<OptionValues>(), added.args));
  });
}
