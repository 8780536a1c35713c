import { describe, expect, it } from "vitest";
import { planRemembered } from "../../layers/5-auto-memory/words/marked.js";
import { PROJECT } from "../support/fake-host.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";
import { openWorld, typeCommand } from "../support/world.js";

const FOLDER = `${PROJECT}/.opencode/memory`;

describe("strata and memories", () => {
  it("commands remember, list, show, archive and restore, and the ledger records every step", async () => {
    const files = openRepository();
    const said = await runStrata(files, "remember --type decision The server listens on port 8080");
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Remembered: decision\/\S*port-8080/),
    });
    const id = /decision\/\S+/.exec(said.out)?.[0] ?? "";
    expect(files.text(`${FOLDER}/${id}.md`)).toContain("The server listens on port 8080");
    expect((await runStrata(files, "list")).out).toMatch(new RegExp(`^${id} +0 d  The server listens`));
    expect((await runStrata(files, "show port-8080")).out).toContain("user");
    expect(JSON.parse((await runStrata(files, "show server 8080 --json")).out)).toMatchObject({
      id,
      type: "decision",
    });
    expect((await runStrata(files, "memory archive 8080 --reason moved")).out).toContain(`Archived: ${id}`);
    expect((await runStrata(files, "list")).out).toBe("No memories.");
    expect((await runStrata(files, "list --archived")).out).toContain("(archived)");
    expect((await runStrata(files, "memory restore 8080")).out).toContain(`Restored: ${id}`);
    const { out } = await runStrata(files, `memory history ${id}`);
    expect(out.split("\n").map((line) => line.split(/ +/)[4])).toEqual(["remember", "archive", "restore"]);
    expect(out).toContain(", moved)");
  });
});

describe("what a person means", () => {
  it("what a person means has a type: the one they name, else a rule is a directive, else it is knowledge", () => {
    const types: [words: string, type: string][] = [
      ["decision: use\nport 8080", "decision"],
      ["fact: the gateway drops idle sockets", "knowledge"],
      ["reflection: smaller commits helped", "knowledge"],
      ["lesson: warm the cache before the load test", "procedure"],
      ["Never push to main", "directive"],
      ["From now on, run the linter first.", "directive"],
      ["A partir de ahora usa pnpm.", "directive"],
      ["永远不要推送到 main。", "directive"],
      ["preference: I prefer tabs over spaces.", "preference"],
      ["Remember that I prefer short answers.", "knowledge"],
      ["note: the build is slow", "knowledge"],
      ["The gateway drops idle sockets after 40 seconds.", "knowledge"],
    ];
    const planned = types.map(([words]) => planRemembered(words));
    expect(planned.map(({ type }, n) => [types[n]?.[0], type])).toEqual(types);
    expect(planned[0]?.content).toBe("use\nport 8080");
    expect(planned[9]?.content).toBe("Remember that I prefer short answers.");
  });
});

describe("/remember, /recall and /forget", () => {
  it("/remember, /recall and /forget keep a person's own words, quotes and newlines too, find them, and put one memory away", async () => {
    const world = await openWorld();
    const call = (name: string, words: string) => typeCommand(world, name, words);
    const words = `decision: the "port" is\n8080, 'always'`;
    const answer = await call("remember", words);
    const path = answer.split("\n")[1] ?? "";
    expect(world.files.text(path)).toContain(`the "port" is\n8080, 'always'`);
    expect(world.files.text(path)).toContain("ses_1");
    await call("remember", "the other port is 9090");
    expect(await call("recall", "9090 port")).toMatch(
      /^knowledge\/\S+ {2}the other port is 9090 {2}\(today\)\ndecision/,
    );
    expect(await call("recall", "zebra")).toBe('Nothing found for "zebra".');
    expect(await call("recall", "\n")).toMatch(/^\d memor/);
    expect(world.host.generated).toEqual([]);
    await expect(call("forget", "port")).rejects.toThrow(/matches 2 memories, such as decision\//);
    expect(await call("forget", "9090")).toMatch(/^Archived: knowledge\//);
    await expect(call("forget", "9090")).rejects.toThrow('no memory matches "9090"');
    await expect(call("remember", " ")).rejects.toThrow("say what to remember");
    expect(await call("memory", "")).toMatch(/Memories +1: decision 1/);
  });
});
