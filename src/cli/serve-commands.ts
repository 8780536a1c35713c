import { type Command, JSON_OPTION } from "../operations/command.js";

/** The local server. */
export const serveCommands: readonly Command[] = [
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
      ["--rate-limit <count>", "requests per minute and client (default 60)"],
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
];
