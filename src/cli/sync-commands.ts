import { type Command, JSON_OPTION } from "../operations/command.js";

/** The command that shares memories over git. */
export const syncCommands: readonly Command[] = [
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
];
