import { expect, it } from "vitest";
import { createAskModel } from "../../src/dream/ask-model.js";
import { findEscape } from "../../src/dream/sandbox.js";
import { planFolders } from "../../src/folders.js";
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

it("where there is no git, nothing that holds what is private is searched", () => {
  const bare = { ...sandbox("/p"), hasGit: false };
  for (const tool of ["grep", "glob", "list"]) {
    const args = { ...(tool !== "list" && { pattern: "x" }) };
    expect(findEscape(tool, args, bare)).toContain("holds what is private");
    expect(findEscape(tool, { ...args, path: ".opencode/memory" }, bare)).toContain("holds what is private");
    expect(findEscape(tool, { ...args, path: "src" }, bare)).toBeUndefined();
  }
});

it("follows links before it lets anything be read", async () => {
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

it("says why, and what may be done instead", () => {
  const why = (tool: string, args: unknown) => findEscape(tool, args, sandbox("/p"));
  expect(why("bash", { command: "rm -rf x" })).toBe(
    'only ls, cat, head, tail, wc, stat, diff, grep may be run, not "rm"',
  );
  expect(why("webfetch", { url: "https://example.org" })).toContain("is not for a dream");
  expect(why("write", { filePath: "/p/README.md", content: "" })).toContain(
    "is not the file to write, which is /p/",
  );
});

it("is more than sixty ways", () => expect(escapes.length).toBeGreaterThanOrEqual(60));
