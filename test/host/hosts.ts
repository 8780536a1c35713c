/**
 * Which OpenCode the files of test/host run in. Each is in one of these lists, which test/hosts.test.ts checks; what
 * one test of a file in both cannot do in OpenCode 2 is said there with `only1`.
 */

/** Played in OpenCode 1 and 2, from one text. */
export const BOTH_HOSTS = [
  "background",
  "bootstrap",
  "breaks",
  "candidates",
  "clear-inputs",
  "commands",
  "context-steering",
  "crash",
  "dream",
  "embeddings",
  "entities",
  "errors",
  "every-operation",
  "faults",
  "figures",
  "files-page",
  "findings",
  "foreign",
  "handover",
  "hostile-memory",
  "hostile-repository",
  "in-order",
  "judged-by-agent",
  "kept-out",
  "kill",
  "learn",
  "links",
  "loading",
  "make-room",
  "mcp",
  "mcp-remote",
  "memory",
  "notes-secrets",
  "prices",
  "project-settings",
  "recorded-sessions",
  "responsive",
  "retention",
  "said",
  "same-bytes",
  "savings",
  "screen",
  "screen-pages",
  "section-writer",
  "spill",
  "subagents",
  "sweep",
  "sync",
  "taken-back",
  "too-large",
  "two-instances",
  "undone-files",
];

const NO_TOOLS = "a background call has no tools in OpenCode 2";
const NO_HOST = "no OpenCode takes part";

/** The others, with the reason. */
export const ONE_HOST: Readonly<Record<1 | 2, Readonly<Record<string, string>>>> = {
  1: {
    "cli-bun": NO_HOST,
    cost: "npm run demo plays its forty turns in both",
    doctor: "its findings are about installations of OpenCode 1; those of OpenCode 2 are in install-2",
    "doctor-installations": "its findings are about installations of OpenCode 1",
    "dream-sandbox": NO_TOOLS,
    "from-1-to-2": "it starts both itself",
    "first-time": "its screens and folders are those of OpenCode 1",
    fork: "plugins of OpenCode 2 can neither open sessions that share a prompt cache nor remove any",
    inspector: NO_HOST,
    "inspector-odd": NO_HOST,
    "inspector-texts": NO_HOST,
    "long-session":
      "two hundred turns take too long twice; kill, every-operation and same-bytes are about the same in 2",
    loops: "a summary that fails is one by a model, and in OpenCode 2 the notes are the summary",
    "keep-keys": "in OpenCode 2 a list has no keys of its own: Enter, then Keep or Drop",
    "mcp-process": NO_HOST,
    "mcp-writers": "it is about the locks of the store, which know no host",
    package: "it installs for OpenCode 1; install-2 does for OpenCode 2",
    page: NO_HOST,
    "real-sessions-words": "npm run bench:sessions replays recorded sessions in both",
    stage: "it tests the stage by OpenCode 1's own forms, into which the other adapter translates",
    "stage/opencode-binary": NO_HOST,
    "stage/prefix-breaks": NO_HOST,
    "stage/prompt-cache": NO_HOST,
    "stage/scripted-model": NO_HOST,
    "stage/shift-date": NO_HOST,
    "terminal/terminal": NO_HOST,
    "tool-definitions": "its sample has OpenCode 1's form of them; OpenCode 2 adds fields of its own",
    "team-day": "it is about git and the store, which know no host",
    upgrade: "the earlier versions that it goes on from knew OpenCode 1 only",
  },
  2: {
    "install-2": "the forms in which OpenCode 2 loads a plugin",
  },
};

export const filesOf = (host: 1 | 2): string[] =>
  [...BOTH_HOSTS, ...Object.keys(ONE_HOST[host])].map((name) => `test/host/${name}.test.ts`);
