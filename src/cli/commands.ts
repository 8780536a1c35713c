/** Every command of the command line, in the order of the help. */
import { clientNames } from "../mcp/clients.js";
import { type Command, JSON_OPTION } from "../operations/command.js";
import { operations } from "../operations/table.js";
import { FORCE_OPTION } from "../operations/write-new.js";
import { commandOf } from "./operation-command.js";
import { sessionCommands } from "./session-commands.js";

const DRY_IMPORT_OPTION = ["--dry-run", "shows what would be imported"] as const;

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
  ...sessionCommands,
  commandOf(operations.list, { example: "strata list --type decision" }),
  commandOf(operations.show, { example: "strata show port-8080", first: "memory" }),
  commandOf(operations.recall, { example: "strata recall 'which port does the server use'" }),
  commandOf(operations.remember, {
    example: "strata remember --type decision 'The server listens on port 8080'",
    aliases: ["capture"],
  }),
  commandOf(operations.candidates, { example: "strata candidates" }),
  commandOf(operations.keep, {
    name: "candidates keep",
    was: "keep",
    example: "strata candidates keep 3fa2b1",
  }),
  commandOf(operations.drop, {
    name: "candidates drop",
    was: "drop",
    example: "strata candidates drop 3fa2b1",
  }),
  commandOf(operations.why, { example: "strata why invoice numbers" }),
  {
    name: "memory edit",
    was: "edit",
    summary: "opens a memory's file in $VISUAL or $EDITOR",
    arguments: "<words...>",
    options: [],
    example: "strata memory edit port-8080",
    first: "memory",
    load: () => import("../operations/edit.js"),
  },
  commandOf(operations.archive, {
    name: "memory archive",
    was: "archive",
    example: "strata memory archive --type idea --older-than 180 --dry-run",
    first: "memory",
  }),
  commandOf(operations.restore, {
    name: "memory restore",
    was: "restore",
    example: "strata memory restore port-8080",
    first: "archived memory",
  }),
  commandOf(operations.pin, { name: "memory pin", example: "strata memory pin port-8080", first: "memory" }),
  commandOf(operations.unpin, {
    name: "memory unpin",
    example: "strata memory unpin port-8080",
    first: "memory",
  }),
  commandOf(operations.publish, {
    name: "memory publish",
    was: "publish",
    example: "strata memory publish preference/tabs-over-spaces",
    first: "memory",
  }),
  commandOf(operations.history, {
    name: "memory history",
    was: "history",
    example: "strata memory history decision/port-8080",
    first: "memory",
  }),
  commandOf(operations.trust, { example: "strata trust --yes" }),
  commandOf(operations.undo, { example: "strata undo --run 1f20c9d1" }),
  {
    name: "dream",
    summary: "tidies the memories of this project by rules; only /dream in OpenCode may ask a model",
    options: [["--dry-run", "shows what would change"], JSON_OPTION],
    example: "strata dream --dry-run",
    aliases: ["digest", "distill"],
    load: () => import("./commands/dream.js"),
  },
  {
    name: "check",
    summary:
      "finds what is wrong with memories and their files, and what is no longer needed; --fix mends it",
    options: [
      ["--fix", "mends what is safe to mend, and asks before it merges memories that say the same"],
      ["--yes", "with --fix: does not ask"],
      ["--dry-run", "with --fix: changes nothing"],
      ["--days <count>", "counts files as no longer needed from this age (default 30)"],
      ["--archived", "archived memories of that age too; the ledger keeps their text"],
      JSON_OPTION,
    ],
    example: "strata check --fix",
    aliases: [
      "validate",
      ...["optimize", "gc", "hygiene", "cleanup", "merge", "reduce"].map((word) => `${word} --fix`),
    ],
    load: () => import("./commands/check.js"),
  },
  {
    name: "reconcile",
    summary:
      "shows open conflicts, two versions of one memory, and decides one; the name of a blocker resolves it",
    arguments: "[conflict...]",
    options: [
      ["--keep <which>", "keeps this (the one in use), that (the other) or both"],
      ["--edit", "opens both in your editor and keeps what you leave in the one in use"],
      JSON_OPTION,
    ],
    example: "strata reconcile server-port-1a2b3c4d --keep that",
    aliases: ["resolve"],
    load: () => import("../operations/reconcile.js"),
  },
  {
    name: "backup",
    summary: "writes memories, notes, results and savings to one verified file",
    arguments: "[file]",
    options: [FORCE_OPTION],
    example: "strata backup ~/strata.jsonl.gz",
    load: () => import("./upkeep/backup.js"),
  },
  {
    name: "backup restore",
    summary: "restores missing files from a backup",
    arguments: "<file>",
    options: [
      ["--global", "includes memories that hold in every project"],
      ["--force", "replaces files that differ"],
      ["--dry-run", "shows what would be restored"],
    ],
    example: "strata backup restore ~/strata.jsonl.gz",
    async load() {
      const { restoreBackup } = await import("./upkeep/backup.js");
      const { openProject } = await import("../operations/project.js");
      return {
        run: async (cli, { dryRun, force, global: withGlobal }, [file = ""]) =>
          restoreBackup(await openProject(cli), {
            ...{ file, isDry: dryRun === true, isForced: force === true, withGlobal: withGlobal === true },
          }),
      };
    },
  },
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
  {
    name: "sync",
    summary: "shares memories over a git remote: init REMOTE, push, pull, status",
    arguments: "[words...]",
    options: [
      ["--branch <name>", "with init: the branch on the remote (default strata-memory)"],
      ["--mine", "with init: all memories there are yours (default for a separate repository)"],
      ["--team", "with init: they are others' until you accept them (default for a remote of the project)"],
      ["--global", "only the memories that apply in every project, which have a separate remote"],
      JSON_OPTION,
    ],
    example: "strata sync init git@github.com:me/memories.git",
    first: ["init", "push", "pull", "status"],
    aliases: ["push", "pull"],
    load: () => import("./sync/sync.js"),
  },
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
