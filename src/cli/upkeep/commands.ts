import { type Command, JSON_OPTION } from "../command.js";
import { FORCE_OPTION } from "../write-new.js";

/** The commands for conflicts, merges and backups. */
export const upkeepCommands: readonly Command[] = [
  {
    name: "reconcile",
    summary:
      "shows open conflicts, two versions of one memory, and decides them one by one; the name of a blocker resolves it",
    arguments: "[conflict...]",
    options: [
      ["--keep <which>", "keeps this (the one in use), that (the other) or both"],
      ["--edit", "opens the one in use in your editor and keeps your text"],
      JSON_OPTION,
    ],
    example: "strata reconcile server-port-1a2b3c4d --keep that",
    aliases: ["resolve"],
    load: () => import("./reconcile.js"),
  },
  {
    name: "merge",
    summary: "lists memories that another one fully contains; --execute merges them",
    options: [
      ["--type <type>", "only memories of this type"],
      ["--execute", "makes exactly the listed merges, as one step"],
      JSON_OPTION,
    ],
    example: "strata merge --type knowledge",
    aliases: ["reduce"],
    load: () => import("./merge.js"),
  },
  {
    name: "backup",
    summary: "writes memories, notes, results and savings to one verified file",
    arguments: "[file]",
    options: [FORCE_OPTION],
    example: "strata backup ~/strata.jsonl.gz",
    load: () => import("./backup.js"),
  },
];
