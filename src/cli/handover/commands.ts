import { type Command, JSON_OPTION } from "../command.js";
import { FORCE_OPTION } from "../write-new.js";

/** The commands about sessions: what is open, who is at work, and how one goes on with another. */
export const handoverCommands: readonly Command[] = [
  {
    name: "agenda",
    summary: "what is open in all sessions and instances; claim ID and release ID say who does it",
    arguments: "[words...]",
    options: [
      ["--all", "also what is older than 30 days"],
      ["--hours <count>", "with claim: for so long (default and most: 8)"],
      JSON_OPTION,
    ],
    example: "strata agenda claim a-3fa2b1c",
    load: () => import("./agenda.js"),
  },
  {
    name: "sessions",
    summary: "the sessions of this project: when, how much was done, and where each stands",
    options: [["--limit <count>", "maximum number of sessions (default 20)"], JSON_OPTION],
    example: "strata sessions --json | jq '.[0].phase'",
    load: () => import("./sessions.js"),
  },
  {
    name: "lease",
    summary: "who holds what; claim ITEM holds it for you, release ITEM takes it from anybody",
    arguments: "[words...]",
    options: [
      ["--minutes <count>", "with claim: for so long (default 60, most 480)"],
      ["--why <why>", "with claim: what for, in a few words"],
      JSON_OPTION,
    ],
    example: "strata lease release '#34'",
    load: () => import("./lease.js"),
  },
  {
    name: "checkpoint",
    summary: "keeps the state of a session (notes, todos, plan, changed files, memories) under a name",
    arguments: "[note...]",
    options: [
      ["--session <id>", "of this session (default: the one that was used last)"],
      ["--list", "lists the checkpoints, yours before those that Strata kept"],
      ["--remove <id>", "removes a checkpoint"],
    ],
    example: "strata checkpoint before the rewrite",
    load: () => import("./checkpoint.js"),
  },
  {
    name: "attach",
    summary: "gives a session, a checkpoint or a handoff file to the next new session",
    arguments: "<source>",
    options: [["--session <id>", "to the next message of this session instead"]],
    example: "strata attach cp-3fa2b1c",
    load: () => import("./attach.js"),
  },
  {
    name: "handoff",
    summary: "a session or checkpoint as one Markdown file, for another person or machine",
    arguments: "[source]",
    options: [["--file <file>", "writes a new file instead of printing it"], FORCE_OPTION],
    example: "strata handoff cp-3fa2b1c --file handoff.md",
    load: () => import("./handoff.js"),
  },
];
