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
