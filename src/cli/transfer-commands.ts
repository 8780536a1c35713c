/** The commands that import and export memories. */
import { type Command, JSON_OPTION } from "../operations/command.js";
import { FORCE_OPTION } from "../operations/write-new.js";

const DRY_IMPORT_OPTION = ["--dry-run", "shows what would be imported"] as const;

/** In the order of the help. */
export const transferCommands: readonly Command[] = [
  {
    name: "bootstrap",
    summary:
      "remembers what the project's own files state: commands, versions, layout, CI, and rules for other agents",
    arguments: "[folders...]",
    options: [
      ["--recursive", "includes all folders below"],
      ["--git", "includes decisions explained in messages of merges and commits"],
      ["--limit <count>", "with --git: maximum number of decisions (default 50)"],
      ["--dry-run", "shows what would be added, renewed and dropped"],
      JSON_OPTION,
    ],
    example: "strata bootstrap --dry-run",
    load: () => import("../operations/bootstrap.js"),
  },
  {
    name: "export",
    summary: "writes memories as JSON Lines, byte for byte, to standard output or a new file",
    arguments: "[file]",
    options: [
      ["--include-private", "includes private memories and those that git ignores"],
      ["--global", "includes memories that hold in every project"],
      ["--type <type>", "only memories of this type"],
      ["--since <days>", "only memories changed within this many days"],
      FORCE_OPTION,
    ],
    example: "strata export memories.jsonl",
    load: () => import("./commands/export.js"),
  },
  {
    name: "import",
    summary:
      "reads a file from strata export, a JSON export of another memory tool, a .memory folder, or a folder with a MEMORY.md",
    arguments: "<source>",
    options: [
      DRY_IMPORT_OPTION,
      ["--global", "includes memories that hold in every project; from a folder, all of them will"],
    ],
    example: "strata import memories.jsonl --dry-run",
    load: () => import("./commands/import.js"),
  },
  {
    name: "ingest",
    summary:
      "turns Markdown files into memories, one for each heading; a heading such as Decisions sets the type",
    arguments: "<files...>",
    options: [
      ["--recursive", "reads the Markdown files in and below a folder"],
      ["--type <type>", "the type of all of them"],
      DRY_IMPORT_OPTION,
      ["--global", "they hold in every project"],
    ],
    example: "strata ingest docs/decisions.md --type decision",
    load: () => import("./commands/ingest.js"),
  },
  {
    name: "learn",
    summary:
      "keeps what past conversations say: JSON Lines {id, session, role, text, at}, or files of opencode export",
    arguments: "[files...]",
    options: [
      ["--sessions", "also OpenCode's own sessions of this project; starts opencode to read them"],
      ["--server <url>", "reads the sessions from this running OpenCode server"],
      ["--judge", "your small model judges what may hold something; states the cost first, and asks"],
      ["--budget <tokens>", "with a judge: at most so many tokens (default: half more than the estimate)"],
      ["--yes", "with a judge: does not ask"],
      ["--dry-run", "shows what would be kept"],
      ["--json", "prints one JSON object a line"],
    ],
    example: "strata learn conversations.jsonl --dry-run --json",
    hint: "learn reads past conversations; strata remember --tag TOPIC 'CONTENT' stores a memory.",
    load: () => import("./commands/learn.js"),
  },
];
