import { type Command, JSON_OPTION } from "../operations/command.js";
import { FORCE_OPTION } from "../operations/write-new.js";

/** The commands for damage, conflicts and backups. */
export const upkeepCommands: readonly Command[] = [
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
    load: () => import("./upkeep/backup-archive.js"),
  },
];
