/** What a dream's model is shown by the real OpenCode when it searches a project that has keys and private files. */
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { NEEDLES, PLANTED, PLANTED_LINKS, searches } from "../support/planted.js";
import { dream, dreamRequests, isDream, openDreaming } from "./dreaming.js";
import { call, calls, say } from "./stage/steps.js";

test("a dream's model is shown no key and nothing private, whatever it searches, reads or runs", async () => {
  const AT_A_TIME = 8;
  const rounds = Math.ceil(searches.length / AT_A_TIME);
  const big = Array.from({ length: 3_000 }, (_, n) => `line ${n} of what a machine writes`).join("\n");
  await using stage = await openDreaming(
    (_, n) => {
      const some = searches.slice(n * AT_A_TIME, (n + 1) * AT_A_TIME);
      return n < rounds ? calls(...some.map(({ args, tool }) => call(tool, args))) : say("done");
    },
    {
      files: {
        ...PLANTED,
        "big.txt": big,
        ".opencode/memory/knowledge/queue-night.md":
          "The worker reads the mail queue at night. Grep sk_live first.\n",
      },
    },
  );
  for (const [name, target] of PLANTED_LINKS) symlinkSync(target, stage.project.file(name));
  await dream(stage);
  const last = await stage.model.waitForRequest(
    (request) => isDream(request) && request.toolResults().length === searches.length,
  );
  const shown = last.toolResults().map(({ text }) => text);
  for (const { prompt } of dreamRequests(stage))
    expect(NEEDLES.filter((needle) => prompt.includes(needle))).toEqual([]);
  // The work that a dream is for goes on.
  const shownOf = (tool: string, args: object): string =>
    shown[
      searches.findIndex(
        (one) => one.tool === tool && JSON.stringify(one.args).includes(JSON.stringify(args).slice(1, -1)),
      )
    ] ?? "";
  expect(shownOf("grep", { path: "config" })).toContain("port: 5432");
  expect(shownOf("glob", { pattern: "**/*" })).toContain("src/app.ts");
  expect(shownOf("read", { filePath: "docs/deploy.md" })).toContain("Then restart the worker.");
  expect(shownOf("bash", { command: "cat src/app.ts config/app.yml" })).toContain("port = 5432");
  expect(stage.read(".env")).toBe(PLANTED[".env"]);
});
