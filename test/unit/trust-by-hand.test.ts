/** What a person writes into the memory folder stays theirs, whatever commands run next. On a real disk, with a real git. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { runStrata } from "../support/shell.js";
import { openTrustWorld, read, type TrustProject, type TrustWorld } from "../support/trust-world.js";

const FACT = ".opencode/memory/knowledge/the-first-fact-is-here.md";

let world: TrustWorld;
let project: TrustProject;
beforeEach(() => {
  world = openTrustWorld();
  project = world.project("shop");
  project.write("opencode.json", "{}\n");
});
afterEach(() => world.remove());

/** Runs a command as its own process would: nothing is left in memory of the one before. */
async function strata(line: string, env: Record<string, string> = {}): Promise<string> {
  const { code, err, out } = await runStrata(nodeFiles, line, {
    folder: project.path,
    clock: systemClock,
    env: {
      XDG_STATE_HOME: `${world.root}/state`,
      XDG_CONFIG_HOME: `${world.root}/config`,
      PATH: process.env.PATH ?? "",
      ...env,
    },
  });
  expect([line, code, err]).toEqual([line, 0, ""]);
  return out;
}

const init = (): unknown => project.git("init", "-q", "-b", "main");
const commit = (): void => {
  project.git("add", "-A");
  project.git("commit", "-qm", "memories");
};
const NOTHING = (): void => {};
const places: readonly { where: string; before(): unknown; after(): unknown }[] = [
  { where: "without git", before: NOTHING, after: NOTHING },
  { where: "in a repository", before: init, after: NOTHING },
  { where: "in a repository where memories are committed", before: init, after: commit },
  { where: "in a folder that has become a repository", before: NOTHING, after: init },
];
const ways: readonly [string, () => Promise<unknown>][] = [
  ["edited", async () => project.write(FACT, read(project.file(FACT)).replace("first", "1st"))],
  [
    "edited by strata memory edit",
    () => strata("memory edit the-first-fact", { EDITOR: "sed -i s/first/1st/" }),
  ],
  ["added", async () => project.write(".opencode/memory/directive/tabs.md", "Use tabs.\n")],
];

describe("a memory that a person changes", () => {
  for (const { after, before, where } of places)
    for (const [how, change] of ways)
      it(`a memory that a person changes stays theirs after the next commands, ${how} ${where}`, async () => {
        before();
        await strata("remember knowledge: the first fact is here");
        after();
        world.later();
        await change();
        world.later();
        expect(await strata("list")).not.toContain("not yours");
        await strata("remember idea: another thing entirely");
        expect(await strata("list")).not.toContain("not yours");
        await strata("memory archive another-thing-entirely");
        expect(await strata("list")).not.toContain("not yours");
        const running = project.open({ stateFolder: `${world.root}/state/opencode-strata` });
        expect((await running.list()).filter((id) => id.endsWith("?"))).toEqual([]);
      });
});
