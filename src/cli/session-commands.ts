/** The commands about sessions: what is in their context, open work, checkpoints and handoffs. */
import { type Command, JSON_OPTION } from "../operations/command.js";
import { FORCE_OPTION } from "../operations/write-new.js";
import { ACTIONS, type Action } from "../status/context-items.js";

const SESSION_OPTION = [
  "--session <id>",
  "of this session (default: the one that sent a request last)",
] as const;

const steering: Readonly<Record<Action, string>> = {
  drop: "takes things out of the context, by the ids that strata context lists",
  pin: "keeps a result, an input or a turn in the context: no layer moves it",
  unpin: "lets the layers move it again",
  expand: "brings back, whole and once, what was dropped, cleared or moved to a file",
  "undo-cut": "sends the messages again that notes have replaced, while they fit",
};

export const sessionCommands: readonly Command[] = [
  {
    name: "context",
    summary: "what stands in a session's context, largest first, and what each change would free and cost",
    options: [SESSION_OPTION, ["--limit <count>", "maximum number of items shown (default 20)"], JSON_OPTION],
    example: "strata context --json | jq '.items[0]'",
    reads: true,
    load: () => import("./steering/ask.js"),
  },
  ...ACTIONS.map(
    (action): Command => ({
      name: `context ${action}`,
      ...(action !== "drop" && { was: action }),
      summary: steering[action],
      arguments: action === "undo-cut" ? "[id]" : "<ids...>",
      options: [SESSION_OPTION, ["--dry-run", "only shows what it frees and costs"]],
      example:
        action === "undo-cut" ? "strata context undo-cut --dry-run" : `strata context ${action} r-3fa2b1c`,
      load: async () => ({ run: (await import("./steering/ask.js")).askFor(action) }),
    }),
  ),
  {
    name: "agenda",
    summary:
      "lists open work in all sessions and instances; claim ID takes an item, release ID gives it back",
    arguments: "[words...]",
    options: [
      ["--all", "also items older than 30 days"],
      ["--hours <count>", "with claim: duration (default and maximum: 8)"],
      JSON_OPTION,
    ],
    example: "strata agenda claim a-3fa2b1c",
    first: ["claim", "release"],
    load: () => import("../operations/handover/agenda.js"),
  },
  {
    name: "sessions",
    summary: "lists the sessions of this project with activity, tool calls, open todos and phase",
    options: [["--limit <count>", "maximum number of sessions (default 20)"], JSON_OPTION],
    example: "strata sessions --json | jq '.[0].phase'",
    reads: true,
    load: () => import("../operations/handover/sessions.js"),
  },
  {
    name: "agenda lease",
    was: "lease",
    summary: "lists leases; claim ITEM takes one for you, release ITEM ends one, even an agent's",
    arguments: "[words...]",
    options: [
      ["--minutes <count>", "with claim: duration (default 60, maximum 480)"],
      ["--why <why>", "with claim: the purpose, in a few words"],
      JSON_OPTION,
    ],
    example: "strata agenda lease release '#34'",
    first: ["claim", "release"],
    load: () => import("./handover/lease.js"),
  },
  {
    name: "checkpoint",
    summary: "saves the state of a session (notes, todos, plan, changed files, memories) under a name",
    arguments: "[note...]",
    options: [
      ["--session <id>", "session to save (default: the last used one)"],
      ["--list", "lists the checkpoints, yours before Strata's own"],
      ["--remove <id>", "removes a checkpoint"],
    ],
    example: "strata checkpoint before the rewrite",
    load: async () => ({ run: (await import("./handover/checkpoints.js")).checkpoint }),
  },
  {
    name: "attach",
    summary: "gives a session, a checkpoint or a handoff file to the next new session",
    arguments: "<source>",
    options: [["--session <id>", "attaches it to the next message of this session instead"]],
    example: "strata attach cp-3fa2b1c",
    aliases: ["resume"],
    load: async () => ({ run: (await import("./handover/checkpoints.js")).attach }),
  },
  {
    name: "handoff",
    summary: "writes a session or checkpoint as one Markdown file, for another person or machine",
    arguments: "[source]",
    options: [["--file <file>", "writes a new file instead of printing it"], FORCE_OPTION],
    example: "strata handoff cp-3fa2b1c --file handoff.md",
    load: async () => ({ run: (await import("./handover/checkpoints.js")).handoff }),
  },
];
