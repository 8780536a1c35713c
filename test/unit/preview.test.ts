import { describe, expect, it } from "vitest";
import { formatPreview, type PreviewInput } from "../../layers/tool-results/preview.js";
import { lines } from "../support/messages.js";

const PATH = "/project/.opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt";

function preview(text: string, more: Partial<PreviewInput> = {}): string {
  return (
    formatPreview({
      tool: "bash",
      content: Buffer.from(text),
      path: PATH,
      thresholdBytes: 30_000,
      ...more,
    }) ?? ""
  );
}

/** The lines under a heading of the preview. */
function section(text: string, heading: string): string[] {
  return (text.split(`--- ${heading}\n`)[1]?.split("\n--- ")[0] ?? "").split("\n");
}

describe("a preview", () => {
  it("tells the size, the exit status, the path, and how to read on", () => {
    const text = preview(lines(20_000), { exitStatus: 2 });
    const [what, path, how] = text.split("\n");
    expect(what).toContain("This bash result (819,999 bytes in 20,000 lines, exit status 2)");
    expect(path).toBe(PATH);
    expect(how).toContain("Read it with offset and limit (at most 450 lines at a time)");
    expect(how).toContain(
      "Grep with path /project/.opencode/tool-results and include 3f2a0c1e-0000-8000-8000-000000000000.txt",
    );
  });

  it("shows whole lines from the beginning and up to the end, none of them twice", () => {
    const text = preview(lines(1_000, 60));
    const first = section(text, "first lines");
    const last = section(text, "last lines");
    expect(first[0]).toBe("1 ".padEnd(60, "x"));
    expect(last.at(-1)).toBe("1000 ".padEnd(60, "x"));
    for (const line of [...first, ...last]) expect(line).toHaveLength(60);
    expect(new Set([...first, ...last]).size).toBe(first.length + last.length);
  });

  it("points at errors, exit states and counts in the middle by their line number", () => {
    const output = lines(1_000).split("\n");
    output[499] = "src/x.ts(3,1): error TS2304: Cannot find name 'y'.";
    output[699] = "Tests: 12 passed, 3 failed";
    const matter = section(preview(output.join("\n")), "lines that matter");
    expect(matter).toEqual([
      "500: src/x.ts(3,1): error TS2304: Cannot find name 'y'.",
      "700: Tests: 12 passed, 3 failed",
    ]);
  });

  it("numbers the lines of a large result's end as the file does", () => {
    const output = lines(60_000).split("\n");
    output[59_000] = "fatal: the end is near";
    expect(section(preview(output.join("\n")), "lines that matter")).toEqual([
      "59001: fatal: the end is near",
    ]);
  });

  it("does not let a thousand errors push out the summary", () => {
    const output = Array.from({ length: 1_000 }, (_, n) => `error: number ${n}`);
    output[900] = "Found 1000 errors in 3 files";
    expect(section(preview(output.join("\n")), "lines that matter")).toContain(
      "901: Found 1000 errors in 3 files",
    );
  });

  it("names the file that was read, which is the better one to read on in", () => {
    const text = preview(lines(2_000), { tool: "read", sourcePath: "/project/src/big.ts" });
    expect(text).toContain(
      "It is the text of /project/src/big.ts: to read on, Read that with offset and limit",
    );
    expect(text).toContain(PATH);
  });

  it("of one line of 2 MB shows both ends and tells how to take pieces, which Read cannot", () => {
    const text = preview(`{"first":1,${"x".repeat(2_000_000)},"last":2}`);
    expect(text).toContain("bytes in one line)");
    expect(text).toContain("tail -c +2049");
    expect(section(text, "first lines")[0]).toMatch(/^\{"first":1,x+…$/);
    expect(section(text, "last lines")[0]).toMatch(/^…x+,"last":2\}$/);
  });

  it("cuts between characters of four bytes, never inside one", () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = preview("x".repeat(shift) + "🦆".repeat(20_000));
      expect(text).not.toContain("\ufffd");
      expect(section(text, "first lines")[0]).toMatch(/^x*🦆+…$/u);
      expect(section(text, "last lines")[0]).toMatch(/^…🦆+$/u);
    }
  });

  it("shows CRLF text without stray carriage returns, and no terminal colours", () => {
    const text = preview(`\u001b[31mred\u001b[0m\r\n${lines(2_000).replaceAll("\n", "\r\n")}`);
    expect(text).not.toContain("\r");
    expect(section(text, "first lines")[0]).toBe("red");
  });

  it("survives bytes that are no text", () => {
    const content = Uint8Array.from({ length: 50_000 }, (_, n) => (n * 7919) % 256);
    expect(formatPreview({ tool: "x", content, path: PATH, thresholdBytes: 30_000 })).toContain(PATH);
  });

  it("says that attachments are still there", () => {
    expect(preview(lines(2_000), { attachments: 1 })).toContain("What is attached to it stays attached.");
  });
});
