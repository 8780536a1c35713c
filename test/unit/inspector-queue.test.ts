/** The inspector beside other projects, while an agent works, and after its project was deleted. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Done, Failure, MemoryList, MemoryPage } from "../../src/inspector/answers.js";
import { createProjectQueue } from "../../src/inspector/project-queue.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { createTurns } from "../../src/memory/trust/turns.js";
import { createStyle } from "../../src/operations/command.js";
import { openLocks, openProject } from "../../src/operations/project.js";
import { createFakeClock, type FakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { openInspector } from "../support/inspected-project.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const INNER = `${PROJECT}/inner`;

let clock: FakeClock;
let files: MemoryFiles;
beforeEach(() => {
  clock = createFakeClock();
  const heads = { [`${PROJECT}/.git/HEAD`]: "x", [`${INNER}/.git/HEAD`]: "x" };
  files = createMemoryFiles(heads, () => clock.now());
});

const openAt = (folder: string) =>
  openProject({
    ...{ clock, files, folder, home: "/home/me", env: {}, style: createStyle(false) },
    ...{ say() {}, warn() {}, openFile: async () => {}, loadLayers: async () => [] },
  });

describe("the queues of two projects", () => {
  it("never take each other's lock on the global memories", async () => {
    const [one, other] = [createProjectQueue(await openAt(PROJECT)), createProjectQueue(await openAt(INNER))];
    const path = "/home/me/.config/opencode/strata/state/memory/internal/lock";
    const lock = (queue: typeof one, action: () => Promise<string>): Promise<string> =>
      queue.inTurn((project) =>
        openLocks(project, project.instance)
          .withLock(path, action, { waitMs: 0 })
          .catch(({ code }) => code),
      );
    expect(await lock(one, () => lock(other, async () => "both have it"))).toBe("ELOCKED");
  });
});

describe("a deleted project", () => {
  it("is answered with 404, and the enclosing project is neither shown nor changed", async () => {
    await runStrata(files, "remember --type knowledge of the inner one", { clock, folder: INNER });
    await runStrata(files, "remember --type knowledge of the outer one", { clock });
    const inspector = await openInspector(files, clock, { folder: INNER });
    const list = await inspector.get<MemoryList>("memories");
    expect(list.memories.map(({ id }) => id)).toEqual(["knowledge/of-the-inner-one"]);
    for (const path of [...files.contents.keys()]) if (path.startsWith(`${INNER}/`)) await files.remove(path);
    const before = new Map(files.contents);
    expect(await inspector.get<Failure>("memories")).toEqual({
      error: `expected the project ${INNER}, but it is gone, or part of ${PROJECT} now; start strata serve again`,
    });
    expect((await inspector.post("remember", { content: "later" })).status).toBe(404);
    expect(new Map(files.contents)).toEqual(before);
  });
});

describe("while an agent works on this machine", () => {
  it.each([
    ["a server without a terminal makes no change that counts as the user's", false],
    ["a click in the page of a server that was started in a terminal counts as the user's", true],
  ])("%s", async (_what, isInTerminal) => {
    const processes = createRunningProcesses();
    const folder = "/home/me/.local/state/opencode-strata/turns";
    const turns = createTurns({ clock, files, processes, folder, instance: "other", onFailure() {} });
    await turns.begin("ses_1");
    const { err } = await runStrata(files, "remember --type directive said by an agent", { clock });
    expect(err).toContain("does not count as yours");
    const inspector = await openInspector(files, clock, { isInTerminal });
    const change = (name: string, body: object) => inspector.post<Done & Failure>(name, body);
    await change("remember", { content: "typed in the page", type: "directive" });
    const list = await inspector.get<MemoryList>("memories");
    const foreign = list.memories.filter(({ isForeign }) => isForeign).map(({ id }) => id);
    expect(foreign.includes("directive/typed-in-the-page")).toBe(!isInTerminal);
    expect(foreign).toContain("directive/said-by-an-agent");
    const read = (id: string): Promise<MemoryPage> => inspector.get(`memory?id=${encodeURIComponent(id)}`);
    const theirs = await read("directive/said-by-an-agent");
    const accepted = await change("trust", { yes: true, name: theirs.memory.id, revision: theirs.revision });
    expect(accepted.status).toBe(isInTerminal ? 200 : 403);
    const id = "directive/typed-in-the-page";
    const { memory, revision } = await read(id);
    const edit = { name: id, revision, title: memory.title, content: "changed in the page", tags: [] };
    const { answer, status } = await change("edit", edit);
    expect([status, answer.what.includes("not yours yet")]).toEqual([200, !isInTerminal]);
  });
});
