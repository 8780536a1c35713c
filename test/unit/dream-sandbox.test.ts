import { expect, it } from "vitest";
import { createAskModel } from "../../layers/6-dream/ask-model.js";
import { createBounds } from "../../layers/6-dream/bounds.js";
import { findEscape } from "../../layers/6-dream/sandbox.js";
import { planFolders } from "../../src/folders.js";
import { systemClock as clock } from "../../src/seams/clock.js";
import { escapes, harmless, STAGED, sandbox, strange } from "../support/escapes.js";
import { createMemoryFiles } from "../support/memory-files.js";

it.each(escapes.map(({ tool, args }) => [tool, JSON.stringify(args), { tool, args }] as const))(
  "refuses %s %s",
  (_, __, { tool, args }) => {
    expect(findEscape(tool, args, sandbox("/home/me/project"))).toBeTypeOf("string");
  },
);

it.each(harmless.map(({ tool, args }) => [tool, JSON.stringify(args), { tool, args }] as const))(
  "lets through %s %s",
  (_, __, { tool, args }) => {
    expect(findEscape(tool, args, sandbox("/home/me/project"))).toBeUndefined();
  },
);

it.each(strange.map(({ tool, args }, n) => [tool, n, args] as const))(
  "refuses arguments of other kinds: %s, %i",
  (tool, _, args) => {
    expect(findEscape(tool, args, sandbox("/home/me/project"))).toBeTypeOf("string");
  },
);

it("without git, folders that contain private ones are not searched", () => {
  const bare = { ...sandbox("/p"), hasGit: false };
  for (const tool of ["grep", "glob", "list"]) {
    const args = { ...(tool !== "list" && { pattern: "x" }) };
    expect(findEscape(tool, args, bare)).toContain("holds what is private");
    expect(findEscape(tool, { ...args, path: ".opencode/memory" }, bare)).toContain("holds what is private");
    expect(findEscape(tool, { ...args, path: "src" }, bare)).toBeUndefined();
  }
});

it("the sandbox resolves links before it allows a read", async () => {
  const files = createMemoryFiles({
    "/p/.opencode/memory/private/knowledge/x.md": "private",
    "/p/src/a.ts": "a",
    "/p/.git/config": "",
  });
  const links: Record<string, string> = {
    "/p/src/link": "/p/.opencode/memory/private/knowledge/x.md",
    "/p/src/out": "/etc",
    "/p/src/out/passwd": "/etc/passwd",
    "/p/src/env": "/p/.env",
  };
  const realPath = files.realPath;
  files.realPath = async (path) => links[path] ?? realPath.call(files, path);
  const asked: (string | undefined)[] = [];
  const askModel = createAskModel({
    clock,
    files,
    folders: planFolders("/p"),
    prompts: { read: async () => "{{staged}} {{groups}}" },
    sessionID: "ses_1",
    maxTokens: 1,
    deadlineMs: 1,
    generation: {
      generate: async ({ tools }) => {
        for (const [tool, args] of [
          ["read", { filePath: "src/link" }],
          ["bash", { command: "cat link", workdir: "src" }],
          ["bash", { command: "cat src/out/passwd" }],
          ["bash", { command: "ls", workdir: "src/out" }],
          ["grep", { pattern: "x", path: "src/out" }],
          ["read", { filePath: "src/env" }],
        ] as const)
          asked.push(await tools?.findEscape(tool, args));
        expect(await tools?.findEscape("read", { filePath: "src/a.ts" })).toBeUndefined();
        expect(await tools?.findEscape("write", { filePath: STAGED, content: "" })).toBeUndefined();
        return { kind: "refused", why: "enough" };
      },
    },
  });
  await askModel([], new AbortController().signal);
  expect(asked).toHaveLength(6);
  for (const why of asked) expect(why).toContain("is a link");
});

it("a refusal says why, and what is allowed instead", () => {
  const why = (tool: string, args: unknown) => findEscape(tool, args, sandbox("/p"));
  expect(why("bash", { command: "rm -rf x" })).toBe(
    'only ls, cat, head, tail, wc, stat, diff, grep may be run, not "rm"',
  );
  expect(why("webfetch", { url: "https://example.org" })).toContain("is not for a dream");
  expect(why("write", { filePath: "/p/README.md", content: "" })).toContain(
    "is not the file to write, which is /p/",
  );
});

it("the list of escapes has more than sixty entries", () =>
  expect(escapes.length).toBeGreaterThanOrEqual(60));

const KEY = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
const LONG = "w".repeat(2_000);

/** What is shown of a result, in a project with these files. */
function clean(tool: string, args: unknown, text: string): Promise<string> {
  const files = createMemoryFiles({
    "/p/a.ts": `one\nkey ${KEY}\nthree\n`,
    "/p/.env": "A=b\n",
    "/p/.opencode/memory/private/x.md": "mine\n",
    "/p/large.txt": "l\n".repeat(200_000),
    "/p/odd.txt": "o\0d\0d\0",
    "/p/armour.txt": "-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJBAKj34\nab==\n-----END PRIVATE KEY-----\n",
    "/p/full.txt": Array.from({ length: 600 }, (_, n) => `API_KEY=k3y${n}x${n * 7}q\n`).join(""),
  });
  return Promise.resolve(createBounds({ clock, files }, sandbox("/p")).cleanResult(tool, args, text));
}

const LEFT_OUT = "(some of it is private, or cannot be searched for keys, and is left out)";

it("the sandbox shows search results except private ones and keys", async () => {
  const found = [
    "Found 4 matches",
    "/p/a.ts:",
    "  Line 1: one",
    "",
    `  Line 2: key ${KEY}`,
    "",
    "",
    "/p/.env:",
    "  Line 1: A=b",
    "",
    "/p/.opencode/memory/private/x.md:",
    "  Line 1: mine",
  ].join("\n");
  expect(await clean("grep", { pattern: "." }, found)).toBe(
    `Found 4 matches\n/p/a.ts:\n  Line 1: one\n\n  Line 2: key [removed: GitHub token]\n\n\n${LEFT_OUT}`,
  );
  expect(await clean("glob", { pattern: "**" }, "/p/a.ts\n/p/.env\n/p/.opencode/memory/private/x.md")).toBe(
    `/p/a.ts\n${LEFT_OUT}`,
  );
  expect(await clean("grep", { pattern: "zz" }, "No files found")).toBe("No files found");
});

it("the sandbox shows nothing of a result in an unknown format", async () => {
  for (const [tool, args, text] of [
    ["grep", { pattern: "." }, `/p/a.ts:\n  Line 1: one\n/p/.env\nA=b`],
    ["grep", { pattern: "." }, "a.ts:1:one"],
    ["grep", { pattern: "." }, "  Line 1: one"],
    ["glob", { pattern: "*" }, "a.ts one"],
    ["read", { filePath: "a.ts" }, "one"],
    ["read", { filePath: "a.ts" }, "<path>/p/a.ts</path>\n<type>file</type>\n<content>\none\n</content>"],
    ["read", { filePath: "a.ts" }, "<path>/p/a.ts</path>\n<type>file</type>\n<content>\n1: one"],
    ["read", { filePath: "a.png" }, "Image read successfully"],
    ["write", { filePath: STAGED, content: "" }, "something else: one"],
    ["list", {}, "one"],
    ["webfetch", {}, "one"],
    ["constructor", {}, "one"],
  ] as const) {
    const shown = await clean(tool, args, text);
    expect(shown).toMatch(/^\(not shown: the result has a form that is not known/);
  }
});

it("the sandbox recognises pieces of a key in a part of its file", async () => {
  expect(await clean("bash", { command: "tail -n 2 armour.txt" }, "ab==\n-----END PRIVATE KEY-----\n")).toBe(
    "[removed: private key]\n[removed: private key]\n",
  );
  const match = "Found 1 match\n/p/armour.txt:\n  Line 2: MIIBOgIBAAJBAKj34";
  expect(await clean("grep", { pattern: "^M" }, match)).toBe(
    "Found 1 match\n/p/armour.txt:\n  Line 2: [removed: private key]",
  );
});

it("the sandbox leaves out lines that the host may have truncated, its remarks on other files, and the path of the full output", async () => {
  const head = "<path>/p/a.ts</path>\n<type>file</type>\n<content>\n";
  const read = `${head}1: ${LONG}... (line truncated to 2000 chars)\n2: b\n</content>\n\n<system-reminder>\nother\n</system-reminder>`;
  expect(await clean("read", { filePath: "a.ts" }, read)).toBe(
    `${head}(a line of 2037 characters)\n2: b\n</content>`,
  );
  const cut = "...output truncated...\n\nFull output saved to: /data/tool_1\n\nhalf a line\nwhole\n";
  expect(await clean("bash", { command: "cat a.ts" }, cut)).toBe(
    "(the beginning of the output is left out)\nwhole\n",
  );
  const wrote = "Wrote file successfully.\n\nLSP errors in other files:\nother";
  expect(await clean("write", { filePath: STAGED, content: "" }, wrote)).toBe("Wrote file successfully.");
});

it("the sandbox leaves out text from files that cannot be searched for keys", async () => {
  for (const name of ["large.txt", "odd.txt", "full.txt"])
    expect(await clean("bash", { command: `cat ${name}` }, "one\n")).toBe(LEFT_OUT);
  expect(await clean("grep", { pattern: "." }, "/p/gone.ts:\n  Line 1: one")).toBe(LEFT_OUT);
  expect(await clean("bash", { command: "cat gone.ts a.ts" }, "cat: gone.ts: nothing\none\n")).toContain(
    "one",
  );
});

it("the sandbox does not take a search pattern for a path", async () => {
  expect(await clean("bash", { command: 'grep -n "credentials" a.ts' }, "1:credentials\n")).toBe(
    "1:credentials\n",
  );
});
