/** Views of memories besides the search: the overview, related and unused memories, and filtered exports. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

async function open(...lines: string[]): Promise<MemoryFiles> {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  for (const line of lines) expect((await runStrata(files, `remember ${line}`)).code).toBe(0);
  return files;
}

describe("strata recall without words", () => {
  it("counts memories by type and subject and names the newest, in words and as JSON", async () => {
    const files = await open(
      "--type decision --tag deploy the proxy is caddy",
      "--type decision --tag deploy --entity src/app.ts releases are tagged",
      "--type idea draw the graph",
    );
    const { code, out } = await runStrata(files, "recall");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^3 memories: 2 decision, 1 idea\nAbout: deploy \(2\), src\/app\.ts \(1\)\nNewest:\n/,
    );
    expect(out).toContain("idea/draw-the-graph  draw the graph");
    const overview = JSON.parse((await runStrata(files, "recall --json")).out);
    expect(overview.subjects[0]).toEqual({ subject: "deploy", count: 2 });
  });
});

describe("strata show", () => {
  it("names memories that are linked either way or about the same file, each once with its title", async () => {
    const files = await open(
      "--type decision src/app.ts listens on 8080",
      "--type idea split src/app.ts in two",
      "--type idea draw the graph",
    );
    const path = `${PROJECT}/.opencode/memory/idea/draw-the-graph.md`;
    const text = files.text(path) ?? "";
    await files.writeWhole(path, text.replace("---\n", "---\nlinks: [decision/src-app-ts-listens-8080]\n"));
    const { err, out } = await runStrata(files, "show src-app-ts-listens-8080");
    expect(err).toBe("");
    expect(out).toMatch(/^linked from {5}idea\/draw-the-graph {2}draw the graph$/m);
    expect(out).toMatch(/^same subject {4}idea\/split-src-app-ts-two {2}split src\/app\.ts in two$/m);
    expect((await runStrata(files, "show draw-the-graph")).out).toMatch(
      /^links {11}decision\/src-app-ts-listens-8080 {2}src\/app\.ts listens on 8080$/m,
    );
  });
});

describe("strata list --unused", () => {
  it("lists memories neither changed nor used for that many days", async () => {
    const files = await open("--type idea draw the graph", "--type idea paint the door");
    const clock = createFakeClock();
    clock.advance(40 * DAY_MS);
    await runStrata(files, "show paint-the-door", { clock });
    clock.advance(DAY_MS);
    const { out } = await runStrata(files, "list --unused 30", { clock });
    expect(out).toContain("draw the graph");
    expect(out).not.toContain("paint the door");
  });
});

describe("strata export", () => {
  it("--type and --since export only memories of this type and changed within the days", async () => {
    const files = await open("--type idea draw the graph", "--type decision the proxy is caddy");
    const ids = async (line: string, clock = createFakeClock()) =>
      (await runStrata(files, line, { clock })).out
        .split("\n")
        .filter(Boolean)
        .map((one) => JSON.parse(one).id);
    expect(await ids("export --type idea")).toEqual(["idea/draw-the-graph"]);
    expect(await ids("export --since 3")).toHaveLength(2);
    const later = createFakeClock();
    later.advance(4 * DAY_MS);
    expect(await ids("export --since 3", later)).toEqual([]);
  });
});
