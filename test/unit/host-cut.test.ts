import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, pathIn, user } from "../support/messages.js";
import { onlyOutput, openWorld } from "../support/world.js";

describe("a result that the host truncated", () => {
  const HOST_FILE = "/data/opencode/tool-output/tool_1";
  const cut = (file = HOST_FILE) =>
    call("bash", `...output truncated...\n\nFull output saved to: ${file}\n\n${lines(100)}`, {
      state: { metadata: { truncated: true, outputPath: file, exit: 0 } },
    });

  it("a result that the host truncated is stored in full, byte by byte", async () => {
    const whole = Buffer.concat([Buffer.from(lines(20_000)), Buffer.from([0xff, 0xfe])]);
    const world = await openWorld({ files: createMemoryFiles({ [HOST_FILE]: whole }) });
    const preview = await onlyOutput(world, [user("go"), answer([cut()])]);
    expect(preview).toContain("820,001 bytes");
    expect(preview).not.toContain(HOST_FILE);
    // Comparing them as a list of numbers takes seconds.
    expect(whole.equals(world.files.contents.get(pathIn(preview)) ?? Buffer.of())).toBe(true);
  });

  it("a result that the host truncated is stored even if the host left nothing of it, as of one long line", async () => {
    const whole = "x".repeat(2_000_000);
    const nothing = call("custom", `...2000000 bytes truncated...\n\nFull output saved to: ${HOST_FILE}\n`, {
      state: { metadata: { truncated: true, outputPath: HOST_FILE } },
    });
    const world = await openWorld({ files: createMemoryFiles({ [HOST_FILE]: whole }) });
    const preview = await onlyOutput(world, [user("go"), answer([nothing])]);
    expect(world.files.text(pathIn(preview))).toBe(whole);
    expect(preview).toContain("xxx");
  });

  it("a result that the host truncated stays if the host's file is gone or too large to copy while a turn waits", async () => {
    const long = cut();
    const state = { ...long.state, output: `${long.state.output}${lines(900)}` };
    const messages = [user("go"), answer([{ ...long, state }])];
    expect(await onlyOutput(await openWorld(), messages)).toBe(state.output);
    const files = createMemoryFiles({ [HOST_FILE]: new Uint8Array(33_000_000) });
    expect(await onlyOutput(await openWorld({ files }), messages)).toBe(state.output);
  });

  it("a result that the host truncated is not read from a file that only the tool names", async () => {
    const world = await openWorld({
      files: createMemoryFiles({ "/home/me/.ssh/id_rsa": "secret ".repeat(9_000) }),
    });
    const sly = call("custom", lines(100), {
      state: { metadata: { truncated: true, outputPath: "/home/me/.ssh/id_rsa" } },
    });
    expect(await onlyOutput(world, [user("go"), answer([sly])])).toBe(lines(100));
    expect(world.results()).toEqual([]);
  });
});
