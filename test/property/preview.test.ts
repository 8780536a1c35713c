import { describe, expect, it } from "vitest";
import { PREVIEW_LIMIT_BYTES, type PreviewInput, writePreview } from "../../layers/1-tool-results/preview.js";
import { atOnce } from "../support/at-once.js";
import { fc, runs } from "../support/property.js";

const formatPreview = (...given: Parameters<typeof writePreview>) => atOnce(writePreview(...given));

const PATH = "/project/.opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt";

const words = fc.constantFrom(
  "error: boom",
  "12 passed, 3 failed",
  "exit status 1",
  "naïve 🦆🦆",
  "\u001b[31mred\u001b[0m",
  "\ud800",
  "日本語",
  "\0",
  "a b c",
);
const line = fc.oneof(
  words,
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer({ min: 0, max: 5_000 }).map((n) => "x".repeat(n)),
  fc.integer({ min: 0, max: 3_000 }).map((n) => "🦆".repeat(n)),
);
const text = fc
  .array(line, { maxLength: 200 })
  .chain((lines) => fc.constantFrom("\n", "\r\n", "\n\n", "").map((end) => lines.join(end)));
const content = fc.oneof(
  text.map((value) => new Uint8Array(Buffer.from(value))),
  fc.uint8Array({ maxLength: 5_000 }),
);

const input: fc.Arbitrary<PreviewInput> = fc.record(
  {
    tool: fc.oneof(
      fc.constantFrom("bash", "read", "github_list_issues"),
      fc.string({ unit: "binary", maxLength: 200 }),
    ),
    content,
    path: fc.constant(PATH),
    pageBytes: fc.integer({ min: 4_096, max: 10_000_000 }),
    sourcePath: fc.constantFrom(
      "/project/src/a file.ts",
      `/project/${"deep/".repeat(100)}x.ts`,
      `/project/${"deep/".repeat(400)}x.ts`,
    ),
    exitStatus: fc.option(fc.integer({ min: -1, max: 255 })),
    note: fc.string({ unit: "binary", maxLength: 2_000 }),
    attachments: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: ["tool", "content", "path", "pageBytes"] },
);

describe("a preview, whatever the result", () => {
  it("a preview is never over the limit, is valid UTF-8, names the path, and is the same every time", () => {
    fc.assert(
      fc.property(input, (given) => {
        const preview = formatPreview(given);
        expect(preview).toBeDefined();
        const bytes = Buffer.from(preview ?? "");
        expect(bytes.byteLength).toBeLessThanOrEqual(PREVIEW_LIMIT_BYTES);
        // Strict decoding: a lone surrogate would have become a replacement character and not come back.
        expect(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toBe(preview);
        expect(preview).toContain(PATH);
        expect(formatPreview(given)).toBe(preview);
      }),
      { numRuns: runs(150, 500, "previews") },
    );
  });

  it("a preview is refused rather than cut when the path leaves no room", () => {
    const content = Buffer.from("x\n".repeat(5_000));
    const previewOf = (length: number) => {
      const path = `/${"p".repeat(length)}/x.txt`;
      return { path, preview: formatPreview({ tool: "bash", content, path, pageBytes: 30_000 }) };
    };
    const lengths = Array.from({ length: 3_900 }, (_, n) => n + 10);
    const longest = lengths.findLast((length) => previewOf(length).preview !== undefined) ?? 0;
    // Longer than any path that people have, and nothing in between is refused.
    expect(longest).toBeGreaterThan(1_400);
    for (const length of lengths.filter((one) => one <= longest)) {
      const { path, preview } = previewOf(length);
      expect(preview).toContain(path);
      expect(Buffer.byteLength(preview ?? "")).toBeLessThanOrEqual(PREVIEW_LIMIT_BYTES);
    }
  });
});
