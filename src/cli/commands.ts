import { memoryTypes } from "../memory/memory.js";
import { type Command, JSON_OPTION } from "./command.js";

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "status",
    summary: "what has left the context in this project, what that saved, and what is on and off",
    options: [JSON_OPTION],
    example: "strata status --json | jq .savings.net",
    load: () => import("./status.js"),
  },
  {
    name: "stats",
    summary: "the savings ledger: what was sent, kept out and lost, by session; as a page with charts",
    options: [["--html <file>", "writes one page with charts, which asks nobody for anything"], JSON_OPTION],
    example: "strata stats --html savings.html",
    load: () => import("./stats.js"),
  },
  {
    name: "list",
    summary: "the memories of this project and those that hold everywhere",
    options: [["--type <type>", "only these"], ["--archived", "those in the archive too"], JSON_OPTION],
    example: "strata list --type decision",
    load: () => import("./list.js"),
  },
  {
    name: "show",
    summary: "one memory, with where it is from; by its id, the end of it, or words of its title",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata show port-8080",
    load: () => import("./show.js"),
  },
  {
    name: "recall",
    summary: "finds memories by words and meaning, and what earlier sessions noted; best first",
    arguments: "[words...]",
    options: [
      ["--type <type>", "only memories of this type; without words the newest first"],
      ["--limit <count>", "so many at most; 10 without it"],
      ["--archived", "those in the archive too"],
      JSON_OPTION,
    ],
    example: "strata recall 'which port does the server use'",
    load: () => import("./recall.js"),
  },
  {
    name: "remember",
    summary: "remembers a sentence; a rule becomes a directive, anything else knowledge",
    arguments: "[words...]",
    options: [
      ["--type <type>", `one of ${memoryTypes.join(", ")}`],
      ["--title <title>", "the line in the index; without it the first one of the text"],
      ["--private", "kept out of git"],
      ["--global", "holds in every project"],
      ["--pin", "always in the index"],
    ],
    example: "strata remember --type decision 'The server listens on port 8080'",
    load: () => import("./remember.js"),
  },
  {
    name: "edit",
    summary: "opens a memory's file in your editor ($VISUAL, $EDITOR)",
    arguments: "<words...>",
    options: [],
    example: "strata edit port-8080",
    load: () => import("./edit.js"),
  },
  {
    name: "archive",
    summary: "moves a memory to the archive; nothing is ever deleted",
    arguments: "<words...>",
    options: [["--reason <reason>", "why, for the ledger"]],
    example: "strata archive port-8080 --reason 'moved to 9090'",
    load: () => import("./archive.js"),
  },
  {
    name: "restore",
    summary: "brings a memory back from the archive",
    arguments: "<words...>",
    options: [],
    example: "strata restore port-8080",
    load: () => import("./restore.js"),
  },
  {
    name: "history",
    summary: "every change of a memory: when, who, why",
    arguments: "<words...>",
    options: [JSON_OPTION],
    example: "strata history decision/port-8080",
    load: () => import("./history.js"),
  },
  {
    name: "init",
    summary: "adds the plugin to the opencode.json of this project; safe to run twice",
    options: [
      ["--global", "to the global configuration instead, for every project"],
      ["--remove", "takes it out again"],
    ],
    example: "strata init --global",
    load: () => import("./init.js"),
  },
  {
    name: "doctor",
    summary:
      "checks configuration and machine, then plays a session to prove that every hook and layer works",
    options: [
      ["--no-proof", "only look, play no session"],
      ["--plugin <folder>", "prove the build in this folder, not this one"],
      JSON_OPTION,
    ],
    example: "strata doctor",
    load: () => import("./doctor.js"),
  },
];
