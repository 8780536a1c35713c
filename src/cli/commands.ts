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
