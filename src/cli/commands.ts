/** Every command of the command line, in the order of the help. */
import { type Command, FORCE, JSON_OPTION } from "../operations/command.js";
import { operations } from "../operations/table.js";
import { commandOf } from "./operation-command.js";

export const commands: readonly Command[] = [
  commandOf(operations.status, "strata status --json | jq .savings.net"),
  commandOf(operations.stats, "strata stats --open", {
    instead: {
      option: [
        "--open",
        "shows it in the inspector, which strata serve then opens in the browser; Ctrl-C stops it",
      ],
      run: async (cli) => (await import("./commands/serve.js")).run(cli, { open: true, port: "0" }, []),
    },
  }),
  commandOf(operations.context, "strata context --json | jq '.items[0]'"),
  ...Object.values(operations).flatMap((entry) => {
    const [, action] = /^context (.*)/.exec(entry.name) ?? [];
    if (action === undefined) return [];
    return commandOf(entry, `strata context ${action} ${action === "undo-cut" ? "--dry-run" : "r-3fa2b1c"}`, {
      was: [action],
      // Candidates were dropped by the same word; their ids have no such letter before them.
      ...(action === "drop" && { wasFor: /^[ritcs]-[0-9a-z]+$/i }),
    });
  }),
  commandOf(operations.agenda, "strata agenda --all"),
  commandOf(operations.claim, "strata agenda claim '#34' --hours 2 --why 'the login'", {
    was: ["agenda lease claim", "lease claim"],
  }),
  commandOf(operations.release, "strata agenda release '#34'", {
    was: ["agenda lease release", "lease release"],
  }),
  commandOf(operations.leases, "strata agenda leases", {
    was: ["agenda lease list", "agenda lease", "lease list", "lease"],
  }),
  commandOf(operations.sessions, "strata sessions --json | jq '.[0].phase'"),
  commandOf(operations.checkpoint, "strata sessions checkpoint before the rewrite", { was: ["checkpoint"] }),
  commandOf(operations.attach, "strata sessions attach cp-3fa2b1c", {
    was: ["attach"],
    aliases: ["resume"],
    arguments: "<source>",
  }),
  commandOf(operations.handoff, "strata sessions handoff cp-3fa2b1c --file handoff.md", {
    was: ["handoff"],
    arguments: "[source]",
  }),
  commandOf(operations.list, "strata list --type decision"),
  commandOf(operations.show, "strata show port-8080", { first: "memory" }),
  commandOf(operations.recall, "strata recall 'which port does the server use'"),
  commandOf(operations.remember, "strata remember --type decision 'The server listens on port 8080'", {
    aliases: ["capture"],
  }),
  commandOf(operations.candidates, "strata candidates"),
  commandOf(operations.keep, "strata candidates keep 3fa2b1", { name: "candidates keep", was: ["keep"] }),
  commandOf(operations.drop, "strata candidates drop 3fa2b1", { name: "candidates drop", was: ["drop"] }),
  commandOf(operations.why, "strata candidates why invoice numbers", {
    name: "candidates why",
    was: ["why"],
  }),
  {
    name: "memory edit",
    was: ["edit"],
    summary: "opens a memory's file in $VISUAL or $EDITOR",
    arguments: "<words...>",
    options: [],
    example: "strata memory edit port-8080",
    first: "memory",
    load: () => import("../operations/edit.js"),
  },
  commandOf(operations.archive, "strata memory archive --type idea --older-than 180 --dry-run", {
    name: "memory archive",
    was: ["archive"],
    first: "memory",
  }),
  commandOf(operations.restore, "strata memory restore port-8080", {
    name: "memory restore",
    was: ["restore"],
    first: "archived memory",
  }),
  commandOf(operations.pin, "strata memory pin port-8080", { name: "memory pin", first: "memory" }),
  commandOf(operations.unpin, "strata memory unpin port-8080", { name: "memory unpin", first: "memory" }),
  commandOf(operations.publish, "strata memory publish preference/tabs-over-spaces", {
    name: "memory publish",
    was: ["publish"],
    first: "memory",
  }),
  commandOf(operations.history, "strata memory history decision/port-8080", {
    name: "memory history",
    was: ["history"],
    first: "memory",
  }),
  commandOf(operations.trust, "strata trust --yes"),
  commandOf(operations.undo, "strata undo --run 1f20c9d1"),
  commandOf(operations.dream, "strata dream --dry-run", { aliases: ["digest", "distill"] }),
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
    options: [["--force", FORCE]],
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
  commandOf(operations.bootstrap, "strata bootstrap --dry-run", { arguments: "[folders...]" }),
  commandOf(operations.export, "strata export memories.jsonl", { arguments: "[file]" }),
  commandOf(operations.import, "strata import memories.jsonl --dry-run", { arguments: "<source>" }),
  commandOf(operations["import markdown"], "strata import markdown docs/decisions.md --type decision", {
    was: ["ingest"],
    arguments: "<files...>",
  }),
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
  commandOf(operations.sync, "strata sync --json", { was: ["sync status"] }),
  commandOf(operations["sync init"], "strata sync init git@github.com:me/memories.git", {
    arguments: "<remote>",
  }),
  commandOf(operations["sync push"], "strata sync push", { aliases: ["push"] }),
  commandOf(operations["sync pull"], "strata sync pull", { aliases: ["pull"] }),
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
      ["--for <client>", `with install: ${(await import("../mcp/clients.js")).clientNames.join(", ")}`],
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
      ["--within <seconds>", "time limit for the session (default 300)"],
      JSON_OPTION,
    ],
    example: "strata doctor",
    aliases: ["diagnose"],
    reads: true,
    load: () => import("./commands/doctor.js"),
  },
];
