import { memoryTypes } from "../memory/memory.js";
import { type Command, JSON_OPTION } from "./command.js";
import { handoverCommands } from "./handover/commands.js";
import { mcpCommands } from "./mcp/commands.js";
import { serveCommands } from "./serve/commands.js";
import { DRY_STEERING_OPTION, SESSION_OPTION, steeringCommands } from "./steering/commands.js";
import { syncCommands } from "./sync/commands.js";
import { transferCommands } from "./transfer/commands.js";
import { upkeepCommands } from "./upkeep/commands.js";
import { AGE_OPTION, MATCH_OPTION } from "./upkeep/options.js";
import { FORCE_OPTION } from "./write-new.js";

const TYPE_OPTION = ["--type <type>", "only memories of this type"] as const;
const ARCHIVED_OPTION = ["--archived", "includes archived memories"] as const;

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "status",
    summary: "what has left the context, what that saved, and which layers are on",
    options: [JSON_OPTION],
    example: "strata status --json | jq .savings.net",
    load: () => import("./commands/status.js"),
  },
  {
    name: "stats",
    summary: "what was saved, by session; as a page with charts, or as comma-separated values",
    options: [
      ["--html <file>", "writes a self-contained page with charts"],
      ["--open", "opens the page in the browser; without --html it is .opencode/strata/stats.html"],
      ["--csv [file]", "prints or writes the savings ledger as comma-separated values"],
      FORCE_OPTION,
      JSON_OPTION,
    ],
    example: "strata stats --open",
    load: () => import("./commands/stats.js"),
  },
  ...handoverCommands,
  ...steeringCommands,
  {
    name: "list",
    summary: "the memories of this project and those that hold everywhere",
    options: [
      TYPE_OPTION,
      ARCHIVED_OPTION,
      ["--foreign", "only memories that came with the repository"],
      ["--unused <days>", "only memories neither used nor changed for this many days"],
      ["--candidates", "likely sentences that wait to become memories, with their ids"],
      JSON_OPTION,
    ],
    example: "strata list --type decision",
    load: () => import("./commands/list.js"),
  },
  {
    name: "show",
    summary: "one memory and its source, by its id, the end of the id, or words of its title",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata show port-8080",
    load: () => import("./commands/show.js"),
  },
  {
    name: "recall",
    summary:
      "finds memories and what earlier sessions noted, best first; without words, what memory is about",
    arguments: "[words...]",
    options: [
      ["--type <type>", "only memories of this type; without words, newest first"],
      ["--limit <count>", "maximum number of results (default 10)"],
      ARCHIVED_OPTION,
      JSON_OPTION,
    ],
    example: "strata recall 'which port does the server use'",
    load: () => import("./commands/recall.js"),
  },
  {
    name: "remember",
    summary: "stores a memory; without --type it gets the type that it would have in the chat",
    arguments: "[words...]",
    options: [
      ["--type <type>", `one of ${memoryTypes.join(", ")}`],
      ["--title <title>", "title in the index (default: the first line)"],
      ["--private", "keeps it out of git"],
      ["--global", "holds in every project"],
      ["--pin", "always in the index"],
      ["--tag <tags>", "tags, separated by commas"],
      ["--entity <names>", "what it is about, such as !12 or src/a.ts, separated by commas"],
      ["--alias <words>", "other words to find it by, separated by commas"],
      ["--importance <number>", "0 to 1 (default 0.5)"],
      ["--confidence <number>", "how sure you are, 0 to 1; shown with it"],
    ],
    example: "strata remember --type decision 'The server listens on port 8080'",
    load: () => import("./commands/remember.js"),
  },
  {
    name: "keep",
    summary: "makes waiting candidates memories, by the ids that list --candidates shows",
    arguments: "<ids...>",
    options: [],
    example: "strata keep 3fa2b1",
    load: () => import("./commands/keep.js"),
  },
  {
    name: "drop",
    summary: "takes things out of the context, or forgets waiting candidates; the ids say which",
    arguments: "[ids...]",
    options: [["--all", "all candidates that wait"], SESSION_OPTION, DRY_STEERING_OPTION],
    example: "strata drop r-3fa2b1c",
    load: () => import("./commands/drop.js"),
  },
  {
    name: "edit",
    summary: "opens a memory's file in $VISUAL or $EDITOR",
    arguments: "<words...>",
    options: [],
    example: "strata edit port-8080",
    load: () => import("./commands/edit.js"),
  },
  {
    name: "archive",
    summary: "moves a memory, or all that the options select, to the archive in one step",
    arguments: "[words...]",
    options: [
      ["--reason <reason>", "recorded in the memory's history"],
      ["--type <type>", "all of this type"],
      AGE_OPTION,
      MATCH_OPTION,
      ["--global", "includes memories that hold in every project"],
      ["--dry-run", "shows what would be archived"],
    ],
    example: "strata archive --type idea --older-than 180 --dry-run",
    load: () => import("./commands/archive.js"),
  },
  {
    name: "publish",
    summary: "lets git see memories of yours that it ignores: a preference, a correction, a private one",
    arguments: "[words...]",
    options: [
      ["--type <type>", "all of this type"],
      AGE_OPTION,
      MATCH_OPTION,
      ["--include-private", "includes private memories"],
      ["--dry-run", "shows what would be published"],
    ],
    example: "strata publish preference/tabs-over-spaces",
    load: () => import("./commands/publish.js"),
  },
  {
    name: "trust",
    summary: "lists memories that came with the repository, accepts them, or takes that back",
    options: [["--yes", "accepts them as yours"], ["--undo", "undoes the last --yes"], JSON_OPTION],
    example: "strata trust --yes",
    load: () => import("./commands/trust.js"),
  },
  {
    name: "restore",
    summary: "restores a memory from the archive, or missing files from a backup",
    arguments: "[words...]",
    options: [
      ["--backup <file>", "a file of strata backup; replaces no existing file"],
      ["--global", "with --backup: includes memories that hold in every project"],
      ["--force", "with --backup: replaces files that differ"],
      ["--dry-run", "shows what would be restored"],
    ],
    example: "strata restore port-8080",
    load: () => import("./commands/restore.js"),
  },
  {
    name: "history",
    summary: "every change of a memory: when, by whom, why",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata history decision/port-8080",
    load: () => import("./commands/history.js"),
  },
  {
    name: "undo",
    summary: "undoes the last change to memory, a dream or a single change; run it again for the one before",
    options: [["--run <id>", "undoes this dream or change; DREAMS.md and strata history list the ids"]],
    example: "strata undo --run 1f20c9d1",
    load: () => import("./commands/undo.js"),
  },
  {
    name: "dream",
    summary: "tidies the memories of this project by rules; only /dream in OpenCode may ask a model",
    options: [["--dry-run", "shows what would change"], JSON_OPTION],
    example: "strata dream --dry-run",
    load: () => import("./commands/dream.js"),
  },
  {
    name: "validate",
    summary: "checks every memory file against ledger, index and schema, and changes none",
    options: [["--strict", "exits with 1 for warnings too"], JSON_OPTION],
    example: "strata validate --strict",
    load: () => import("./commands/validate.js"),
  },
  {
    name: "optimize",
    summary: "lists what validate found and can be repaired without loss; --execute repairs it",
    options: [["--execute", "makes exactly the repairs listed"], JSON_OPTION],
    example: "strata optimize --execute",
    load: () => import("./commands/optimize.js"),
  },
  ...upkeepCommands,
  {
    name: "gc",
    summary: "lists files that are no longer needed, such as tool results that no session names",
    options: [
      ["--days <count>", "only files older than this (default 30)"],
      ["--archived", "archived memories of that age too; the ledger keeps their text"],
      ["--execute", "removes the files listed"],
      JSON_OPTION,
    ],
    example: "strata gc --days 90 --execute",
    load: () => import("./commands/gc.js"),
  },
  ...transferCommands,
  ...syncCommands,
  {
    name: "enrich",
    summary: "asks GitLab and GitHub for title, state and labels of what memories name: !12, #34, &5, URLs",
    arguments: "[entities...]",
    options: [
      ["--limit <count>", "maximum number of requests (default 100)"],
      ["--dry-run", "shows what would be asked about; sends nothing"],
      JSON_OPTION,
    ],
    example: "strata enrich '#34'",
    load: () => import("./commands/enrich.js"),
  },
  ...mcpCommands,
  ...serveCommands,
  {
    name: "init",
    summary: "adds the plugin to this project's opencode.json and tui.json; safe to run twice",
    options: [
      ["--global", "uses the global configuration, for every project"],
      ["--remove", "removes the plugin again"],
      [
        "--purge",
        "with --remove: also deletes what the plugin wrote in this project, memories included; asks first",
      ],
      ["--yes", "with --purge: does not ask"],
    ],
    example: "strata init --global",
    load: () => import("./commands/init.js"),
  },
  {
    name: "doctor",
    summary: "checks configuration and machine, then plays a session to prove that the plugin works",
    options: [
      ["--no-proof", "does not play the session"],
      ["--plugin <folder>", "proves the build in this folder instead of the configured one"],
      ["--within <seconds>", "time limit for the session (default: none while it makes progress)"],
      JSON_OPTION,
    ],
    example: "strata doctor",
    load: () => import("./commands/doctor.js"),
  },
];
