import { describe, expect, it } from "vitest";
import { type PreviewInput, writePreview } from "../../layers/1-tool-results/preview.js";
import { atOnce } from "../support/at-once.js";
import { lines } from "../support/messages.js";

const PATH = "/project/.opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt";

function preview(text: string, more: Partial<PreviewInput> = {}): string {
  const content = Buffer.from(text);
  return atOnce(writePreview({ tool: "bash", content, path: PATH, pageBytes: 30_000, ...more })) ?? "";
}

/** The lines under a heading of the preview. */
function section(text: string, heading: string): string[] {
  return (text.split(`--- ${heading}\n`)[1]?.split("\n--- ")[0] ?? "").split("\n");
}

describe("a preview", () => {
  it("a preview tells the size, the exit status, the path, and how to read on", () => {
    const text = preview(lines(20_000), { exitStatus: 2 });
    const [what, path, how] = text.split("\n");
    expect(what).toContain("This bash result (819,999 bytes in 20,000 lines, exit status 2)");
    expect(path).toBe(PATH);
    expect(how).toContain("Read that file with offset and limit (at most 450 lines at a time)");
    expect(how).toContain("or Grep with that path");
  });

  it("a preview shows whole lines from the beginning and up to the end, none of them twice", () => {
    const text = preview(lines(1_000, 60));
    const first = section(text, "first lines");
    const last = section(text, "last lines");
    expect(first[0]).toBe("1 ".padEnd(60, "x"));
    expect(last.at(-1)).toBe("1000 ".padEnd(60, "x"));
    for (const line of [...first, ...last]) expect(line).toHaveLength(60);
    expect(new Set([...first, ...last]).size).toBe(first.length + last.length);
  });

  it("a preview points at errors, exit states and counts in the middle by their line number", () => {
    const output = lines(1_000).split("\n");
    output[499] = "src/x.ts(3,1): error TS2304: Cannot find name 'y'.";
    output[699] = "Tests: 12 passed, 3 failed";
    const matter = section(preview(output.join("\n")), "lines that matter");
    expect(matter).toEqual([
      "500: src/x.ts(3,1): error TS2304: Cannot find name 'y'.",
      "700: Tests: 12 passed, 3 failed",
    ]);
  });

  it("a preview of a read names the file and the lines it shows, which is the better place to read on", () => {
    const shown = Array.from({ length: 1_500 }, (_, n) => `${n + 101}: x = ${n}`);
    shown[700] = "801: error: out of memory";
    const text = preview(`<content>\n${shown.join("\n")}\n\n(Showing lines …)\n</content>`, {
      tool: "read",
      sourcePath: "/project/logs/big.log",
    });
    expect(text).toContain("was moved out of the context. What Read showed is in\n");
    expect(text).toContain(
      "It shows lines 101 to 1,600 of /project/logs/big.log. To read on: Read big.log there with",
    );
    expect(text).toContain(PATH);
    // By the number it has in the file, not in the result.
    expect(section(text, "lines that matter")).toEqual(["801: error: out of memory"]);
  });

  it("a preview finds errors as compilers, interpreters and runners report them", () => {
    for (const error of [
      "SyntaxError: Cannot use import statement outside a module",
      "ImportError: cannot import name 'x' from 'y'",
      "error[E0432]: unresolved import `foo`",
      "PHP Fatal error: Uncaught Error: Call to undefined function foo()",
      "A.java:3: error: class Foo is public, should be declared in a file named",
      "error: function 'x' is unused",
      "- error: boom",
      "Error: x {",
      "thread 'main' panicked at src/main.rs:2:5:",
      "Segmentation fault (core dumped)",
      "make: *** [Makefile:2: all] Error 2",
      "npm ERR! code ELIFECYCLE",
    ]) {
      const output = lines(1_000).split("\n");
      output[500] = error;
      expect(section(preview(output.join("\n")), "lines that matter")).toEqual([`501: ${error}`]);
    }
  });

  it("a preview of a file with long lines advises to take pieces of the file itself, which Read has cut", () => {
    const text = preview(`1: ${"x".repeat(2_100)}\n${lines(900)}`, {
      tool: "read",
      sourcePath: "/project/data.json",
    });
    expect(text).toContain("tail -c +2049 /project/data.json | head -c 4000");
    expect(text).toContain("PATTERN.\\{0,99\\}' /project/data.json");
  });
});
