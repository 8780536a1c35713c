/**
 * Which OpenCode the files of test/host run in, and in which run. Each is in one of these lists, which
 * test/hosts.test.ts checks; what one test of a file in both cannot do in OpenCode 2 is said there with `only1`.
 *
 * `npm test` plays what every change needs. `npm run test:long` also plays the files of test/host/long, and in
 * OpenCode 2 what is the same there.
 */

/** Played in OpenCode 1 and 2, from one text: each goes through hooks that the two have in forms of their own. */
const EVERY_RUN = [
  "clear-inputs",
  "commands",
  "conversations",
  "first-hour",
  "loading",
  "make-room",
  "memory",
  "same-bytes",
  "screen",
  "spill",
  "taken-back",
];

/** Played in both, in OpenCode 2 by the long run only: they go through the same hooks as those above. */
const LATER_IN_2 = [
  "breaks",
  "candidates",
  "context-steering",
  "crash",
  "errors",
  "faults",
  "files-page",
  "findings",
  "hostile-repository",
  "judged-by-agent",
  "mcp",
  "notes-secrets",
  "prices",
  "private-types",
  "said",
  "subagents",
  "too-large",
  "undone-files",
  "upkeep",
];

/** Played in both by the long run. */
const LONG = [
  "long/background",
  "long/bootstrap",
  "long/dream",
  "long/embeddings",
  "long/figures",
  "long/handover",
  "long/judged-by-model",
  "long/kill",
  "long/learn",
  "long/mcp-tools",
  "long/project-settings",
  "long/recorded-sessions",
  "long/responsive",
  "long/retention",
  "long/screen-pages",
  "long/sweep",
  "long/sync",
  "long/team-day",
  "long/two-instances",
];

export const BOTH_HOSTS: readonly string[] = [...EVERY_RUN, ...LATER_IN_2, ...LONG];

const NO_HOST = "no OpenCode takes part";

/** The others, with the reason. */
export const ONE_HOST: Readonly<Record<1 | 2, Readonly<Record<string, string>>>> = {
  1: {
    doctor: "its findings are about installations of OpenCode 1; those of OpenCode 2 are in install-2",
    fork: "plugins of OpenCode 2 can neither open sessions that share a prompt cache nor remove any",
    "forty-turns": "crash and same-bytes are about the same in OpenCode 2",
    inspector: NO_HOST,
    "mcp-process": NO_HOST,
    package: "it installs for OpenCode 1; install-2 does for OpenCode 2",
    "stage/prefix-breaks": NO_HOST,
    "stage/prompt-cache": NO_HOST,
    "tool-definitions": "its sample has OpenCode 1's form of them; OpenCode 2 adds fields of its own",
    "long/cli-bun": NO_HOST,
    "long/doctor": "it starts both itself",
    "long/from-1-to-2": "it starts both itself",
    "long/inspector": NO_HOST,
    "long/long-session": "two hundred turns take too long twice; kill and same-bytes are about the same in 2",
    "long/loops": "a summary that fails is one by a model, and in OpenCode 2 the notes are the summary",
    "long/mcp-writers": "it is about the locks of the store, which know no host",
  },
  2: {
    "install-2": "the forms in which OpenCode 2 loads a plugin",
  },
};

/** The files that this run plays in this OpenCode. */
export function filesOf(host: 1 | 2, { isLong }: { isLong: boolean }): string[] {
  const isLeftOut = (name: string): boolean =>
    name.startsWith("long/") || (host === 2 && LATER_IN_2.includes(name));
  return [...BOTH_HOSTS, ...Object.keys(ONE_HOST[host])]
    .filter((name) => isLong || !isLeftOut(name))
    .map((name) => `test/host/${name}.test.ts`);
}
