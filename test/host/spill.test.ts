/** Layer 1 in the real OpenCode: what reaches the model, what lies on disk. */
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { pathIn } from "../support/messages.js";
import type { Session } from "./stage/session.js";
import { openStage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const LIMIT = 2_048;
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Prints other text each time, behind lines that stay the same. */
const COUNT = "seq 1000 1600; head -c 2000 /dev/urandom | base64 -w 0";

/** What the host has stored of a call: the text it would have sent, and the file with the whole of it, if it cut. */
async function stored(
  session: Session,
  callID: string,
): Promise<{ output: string; fullFile: string | undefined }> {
  const parts = (await session.messages()).flatMap((message) => message.parts);
  const part = parts.find((one) => one.type === "tool" && one.callID === callID);
  if (part?.type !== "tool" || part.state.status !== "completed")
    throw new Error(`no completed call ${callID}`);
  return { output: part.state.output, fullFile: part.state.metadata.outputPath as string | undefined };
}

test("20,000 lines that bash prints reach the model as a preview, and lie on disk byte for byte", async () => {
  await using stage = await openStage({ mcp: true });
  const whole = `${Array.from({ length: 20_000 }, (_, n) => n + 1).join("\n")}\n`;
  // Under load the host's shell tool loses a part of a long output, with this plugin and without. Then it is not a
  // result of 20,000 lines, and it is asked for again.
  for (let attempt = 1; attempt <= 8; attempt++) {
    stage.model.script(
      call("bash", { command: "seq 1 20000", description: "count" }, { id: "bash" }),
      say("done"),
    );
    const session = await stage.newSession(`attempt ${attempt}`);
    await session.ask("go");
    const { fullFile } = await stored(session, "bash");
    if (fullFile === undefined || readFileSync(fullFile, "utf8") !== whole) {
      process.stdout.write(`attempt ${attempt}: the host has lost a part of what seq printed\n`);
      continue;
    }
    const preview = stage.model.lastRequest().toolResult("bash");
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(LIMIT);
    expect(readFileSync(pathIn(preview), "utf8")).toBe(whole);
    return;
  }
  expect.unreachable("the host lost a part of the output eight times in a row");
});

test("large results of grep, a custom tool and an MCP server reach the model as previews, a command's second run and a long line shrunk, and all lie whole on disk", async () => {
  const needles = Array.from({ length: 400 }, (_, n) => `needle ${n} ${"hay".repeat(110)}`).join("\n");
  await using stage = await openStage({
    mcp: true,
    files: {
      "hay.txt": needles,
      ...customTools({ fetch_page: `"<p>page</p>\\n".repeat(4_000)` }),
    },
  });
  stage.model.script(
    calls(
      call("grep", { pattern: "needle", path: stage.project.path, include: "hay.txt" }, { id: "grep" }),
      call("fetch_page", {}, { id: "custom" }),
      call("mcp_blob", { bytes: 300_000 }, { id: "mcp" }),
      call("bash", { command: COUNT, description: "count" }, { id: "first" }),
    ),
    call("bash", { command: COUNT, description: "count again" }, { id: "second" }),
    say("done"),
  );
  const session = await stage.newSession("spill");
  await session.ask("go");

  const request = stage.model.lastRequest();
  for (const [callID, wasCut] of [
    ["grep", false],
    ["custom", true],
    ["mcp", true],
  ] as const) {
    const preview = request.toolResult(callID);
    expect(Buffer.byteLength(preview), callID).toBeLessThanOrEqual(LIMIT);
    const onDisk = readFileSync(pathIn(preview));
    const { output, fullFile } = await stored(session, callID);
    expect(fullFile !== undefined, callID).toBe(wasCut);
    const whole = fullFile === undefined ? Buffer.from(output) : readFileSync(fullFile);
    expect(onDisk.equals(whole), callID).toBe(true);
    expect(statSync(pathIn(preview)).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(pathIn(request.toolResult("mcp"))).byteLength).toBe(300_000);
  expect(request.toolResult("first")).toContain("\n1111\n1112\n");
  const shrunk = request.toolResult("second");
  expect(shrunk).toMatch(
    /^\[Strata\] Shrunk: \d+ lines as in the last run of this command, 1 long line cut; whole in /,
  );
  expect(shrunk).not.toContain("1111");
  const [, path = ""] = /whole in (\S+)/.exec(shrunk) ?? [];
  expect(readFileSync(stage.project.file(path), "utf8")).toBe((await stored(session, "second")).output);
  expect(stage.read(".opencode/tool-results/.gitignore")).toBe("*\n");
  expect(stage.read(".opencode/strata/.gitignore")).toBe("*\n");
});

test("a result that was moved out can be read on: Read pages it, Grep finds in it, and neither spills again", async () => {
  await using stage = await openStage({ mcp: true });
  stage.model.script(call("mcp_blob", { bytes: 1_000_000 }, { id: "blob" }), say("done"));
  const session = await stage.newSession("read on");
  await session.ask("go");
  const path = pathIn(stage.model.lastRequest().toolResult("blob"));
  const [, folder = "", include = ""] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
  const pattern = "^17777: ";
  stage.model.script(
    calls(
      call("read", { filePath: path, offset: 15_000, limit: 2_000 }, { id: "read" }),
      call("grep", { pattern, path }, { id: "grep-file" }),
      call("grep", { pattern, path: folder, include }, { id: "grep-folder" }),
      call("grep", { pattern, path: `.opencode/tool-results/${include}` }, { id: "grep-relative" }),
      call("bash", { command: `cat ${path}`, description: "all" }, { id: "cat" }),
      call("grep", { pattern, path: stage.project.path }, { id: "grep-project" }),
    ),
    say("done"),
  );
  await session.ask("read on");
  const request = stage.model.lastRequest();
  expect(request.toolResult("read")).toContain("\n15000: 15000: ");
  expect(Buffer.byteLength(request.toolResult("read"))).toBeGreaterThan(40_000);
  for (const callID of ["grep-file", "grep-folder", "grep-relative"]) {
    expect(request.toolResult(callID), callID).toContain("Line 17777: 17777: ");
  }
  expect(Buffer.byteLength(request.toolResult("cat"))).toBeGreaterThan(10_000);
  expect(request.toolResult("cat")).not.toContain("[Strata]");
  // What was moved out does not turn up when the agent searches the project.
  expect(request.toolResult("grep-project")).toMatch(/^No (files|matches) found$/);
});

test("odd results are shown whole or moved byte for byte: an image, an empty one, four-byte characters at the cut, CRLF, one line of 2 MB", async () => {
  await using stage = await openStage({
    mcp: true,
    files: {
      "pixel.png": PIXEL,
      ...customTools({
        empty: `""`,
        ducks: `"🦆".repeat(9_001)`,
        crlf: `"a line\\r\\n".repeat(5_000)`,
        oneline: `JSON.stringify({ first: 1, middle: "x".repeat(2_000_000), last: 2 })`,
        picture: `({ output: "seen\\n".repeat(9_000), attachments: [{ type: "file", mime: "image/png", url: "data:image/png;base64,${PIXEL.toString("base64")}" }] })`,
      }),
    },
  });
  const names = ["empty", "ducks", "crlf", "oneline", "picture"];
  stage.model.script(
    calls(
      call("read", { filePath: stage.project.file("pixel.png") }, { id: "image" }),
      ...names.map((name) => call(name, {}, { id: name })),
    ),
    say("done"),
  );
  const session = await stage.newSession("odd");
  await session.ask("go");
  const request = stage.model.lastRequest();
  expect(request.toolResult("image")).toBe("Image read successfully");
  expect(request.toolResult("empty")).toBe(HOST === 1 ? "" : "(no tool output)");
  for (const name of ["ducks", "crlf", "oneline", "picture"]) {
    // A picture was read, of which the last result's reminder speaks.
    const [preview = ""] = request.toolResult(name).split("\n\n[Strata] What was just read");
    expect(Buffer.byteLength(preview), name).toBeLessThanOrEqual(LIMIT);
    expect(preview, name).not.toContain("\ufffd");
    expect(preview, name).not.toContain("\r");
    const { output, fullFile } = await stored(session, name);
    const whole = fullFile === undefined ? Buffer.from(output) : readFileSync(fullFile);
    expect(readFileSync(pathIn(preview)).equals(whole), name).toBe(true);
  }
  expect(request.toolResult("ducks")).toMatch(/🦆…\n[\s\S]*…🦆/u);
  expect(request.toolResult("oneline")).toContain('{"first":1,"middle":"xxx');
  expect(request.toolResult("oneline")).toContain('xxx","last":2}');
  expect(request.toolResult("picture")).toContain("What is attached to it stays attached.");
  const images = request.prompt.split("data:image/png;base64,").length - 1;
  expect(images).toBe(2);
});

test("a compaction of the host's own is given the paths of moved results, although it shortens every result", async () => {
  await using stage = await openStage({ mcp: true });
  stage.model.script(call("mcp_blob", { bytes: 90_000 }, { id: "big" }), say("done"), say("The summary."));
  const session = await stage.newSession("compaction");
  await session.ask("go");
  const path = pathIn(stage.model.lastRequest().toolResult("big"));
  await session.summarize();
  const compaction = stage.model.lastRequest();
  expect(compaction.prompt).toContain(path);
  // OpenCode 2 asks in the session, with its system prompt and tools.
  expect(compaction.messageBytes.slice(1).join("").length).toBeLessThan(30_000);
});

/** Tools of a project's own, by name: the files that define them, each with an expression for its result. */

function customTools(tools: Readonly<Record<string, string>>): Record<string, string> {
  if (HOST === 2) return { ".opencode/plugins/own/index.js": formatPlugin(tools) };
  return Object.fromEntries(
    Object.entries(tools).map(([name, result]) => [
      `.opencode/tool/${name}.js`,
      `import { tool } from "@opencode-ai/plugin";
export default tool({ description: "test", args: {}, async execute() { return ${result}; } });`,
    ]),
  );
}

/** OpenCode 2 has no folder for tools; a plugin adds them. */
function formatPlugin(tools: Readonly<Record<string, string>>): string {
  const added = Object.entries(tools).map(([name, result]) => `add("${name}", () => (${result}));`);
  return `const file = ({ mime, url }) => ({ type: "file", mime, uri: url });
const content = (result) =>
  typeof result === "string"
    ? result
    : [{ type: "text", text: result.output }, ...result.attachments.map(file)];
export default {
  id: "own",
  async setup(context) {
    await context.tool.transform((editor) => {
      const input = { type: "object", properties: {} };
      const options = { codemode: false };
      const add = (name, run) =>
        editor.add({ name, description: "test", input, options, execute: async () => ({ content: content(run()) }) });
      ${added.join("\n      ")}
    });
  },
};
`;
}
