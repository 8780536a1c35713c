/** The commands about sessions: what is in their context, open work, checkpoints and handoffs. */
import { type Command, JSON_OPTION } from "../operations/command.js";
import { operations } from "../operations/table.js";
import { FORCE_OPTION } from "../operations/write-new.js";
import { ACTIONS } from "../status/context-items.js";
import { commandOf } from "./operation-command.js";

export const sessionCommands: readonly Command[] = [
  commandOf(operations.context, { example: "strata context --json | jq '.items[0]'" }),
  ...ACTIONS.map((action) =>
    commandOf(operations[`context ${action}`], {
      was: action,
      // Candidates were dropped by the same word; their ids have no such letter before them.
      ...(action === "drop" && { wasFor: /^[ritcs]-[0-9a-z]+$/i }),
      example: `strata context ${action} ${action === "undo-cut" ? "--dry-run" : "r-3fa2b1c"}`,
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
