import { clientNames } from "../mcp/install/clients.js";
import { memoryTypes } from "../memory/memory.js";
import { AGE_OPTION, type Command, JSON_OPTION, MATCH_OPTION } from "../operations/command.js";
import { FORCE_OPTION } from "../operations/write-new.js";
import { handoverCommands } from "./handover-commands.js";
import { DRY_STEERING_OPTION, SESSION_OPTION, steeringCommands } from "./steering-commands.js";
import { syncCommands } from "./sync-commands.js";
import { transferCommands } from "./transfer-commands.js";
import { upkeepCommands } from "./upkeep-commands.js";

/** The local server. */
export const serveCommands: readonly Command[] = [
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
      ["--rate-limit <count>", "requests per minute and client (default 60)"],
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
];

export const mcpCommands: readonly Command[] = [
  {
    name: "mcp",
    summary: "serves the memories to other agents (MCP over standard input); install configures a client",
    arguments: "[words...]",
    options: [
      ["--tools <names>", "all, or names separated by commas (default: the few that most agents need)"],
      ["--private", "also serves private memories"],
      ["--project <folder>", "the project in this folder (default: the working directory)"],
      ["--for <client>", `with install: ${clientNames.join(", ")}`],
      ["--write", "with install: writes the file instead of printing the entry"],
    ],
    example: "strata mcp install --for claude-code",
    first: ["install"],
    load: () => import("../mcp/mcp.js"),
  },
];

const TYPE_OPTION = ["--type <type>", "only memories of this type"] as const;
const ARCHIVED_OPTION = ["--archived", "includes archived memories"] as const;

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "status",
    summary: "what has left the context, what that saved, and which layers are on",
    options: [JSON_OPTION],
    example: "strata status --json | jq .savings.net",
    reads: true,
    load: () => import("./commands/status.js"),
  },
  {
    name: "stats",
    summary: "what was saved, by session; with --open, the inspector draws it",
    options: [
      ["--open", "shows it in the inspector, which strata serve then opens in the browser; Ctrl-C stops it"],
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
    reads: true,
    load: () => import("./commands/list.js"),
  },
  {
    name: "show",
    summary: "one memory and its source, by its id, the end of the id, or words of its title",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata show port-8080",
    first: "memory",
    reads: true,
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
    reads: true,
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
    aliases: ["capture"],
    load: () => import("./commands/remember.js"),
  },
  {
    name: "keep",
    summary: "makes waiting candidates memories, by the ids that list --candidates shows",
    arguments: "<ids...>",
    options: [["--type <type>", `one of ${memoryTypes.join(", ")} (default: the candidate's own)`]],
    example: "strata keep 3fa2b1",
    load: () => import("./commands/keep.js"),
  },
  {
    name: "why",
    summary: "why what you said was kept or not: who judged it, for what reason, and what to do about it",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata why invoice numbers",
    reads: true,
    load: () => import("./commands/why.js"),
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
    first: "memory",
    load: () => import("../operations/edit.js"),
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
    first: "memory",
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
    first: "memory",
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
    first: "archived memory",
    load: () => import("./commands/restore.js"),
  },
  {
    name: "history",
    summary: "every change of a memory: when, by whom, why",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata history decision/port-8080",
    first: "memory",
    reads: true,
    load: () => import("./commands/history.js"),
  },
  {
    name: "undo",
    summary: "undoes the last change to memory, a dream or a single change; run it again for the one before",
    options: [["--run <id>", "undoes this dream or change; DREAMS.md and strata history list the ids"]],
    example: "strata undo --run 1f20c9d1",
    load: () => import("../operations/undo.js"),
  },
  {
    name: "dream",
    summary: "tidies the memories of this project by rules; only /dream in OpenCode may ask a model",
    options: [["--dry-run", "shows what would change"], JSON_OPTION],
    example: "strata dream --dry-run",
    aliases: ["digest", "distill"],
    load: () => import("./commands/dream.js"),
  },
  ...upkeepCommands,
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
    load: () => import("./commands/completion.js"),
  },
  ...mcpCommands,
  ...serveCommands,
  {
    name: "init",
    summary: "adds the plugin to this project's opencode.json and tui.json; safe to run twice",
    options: [
      ["--global", "uses the global configuration, for every project"],
      ["--remove", "removes the plugin again"],
      ["--purge", "with --remove: also deletes what the plugin wrote here, memories included; asks first"],
      ["--yes", "with --purge: does not ask"],
    ],
    example: "strata init --global",
    load: () => import("./commands/init.js"),
  },
  {
    name: "doctor",
    summary: "checks configuration and machine, then plays a session to prove that the plugin works",
    options: [
      ["--report", "prints what an issue needs, as text without paths, keys and words of yours"],
      ["--no-proof", "does not play the session"],
      ["--plugin <folder>", "proves the build in this folder instead of the configured one"],
      ["--within <seconds>", "time limit for the session (default: none while it makes progress)"],
      JSON_OPTION,
    ],
    example: "strata doctor",
    aliases: ["diagnose"],
    reads: true,
    load: () => import("./commands/doctor.js"),
  },
];
