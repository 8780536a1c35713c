/** The stories of the real OpenCode 1.18.33, where they apply, on the contract host. */
import { describe, expect, it } from "vitest";
import { call, findBreaks, say } from "./script.js";
import { openWorld } from "./world.js";

/** `count` lines that no line of another seed equals. */
const text = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, index) => `${seed} ${index} ${"x".repeat(60)}`).join("\n");

describe("requests on the contract host", () => {
  it("a request begins with the bytes of the one before, over many turns and after a restart", async () => {
    let world = await openWorld();
    const session = world.host.newSession();
    for (let turn = 0; turn < 4; turn++) {
      world.host.model.script(
        call("shell", { command: `make ${turn}` }, text(900, `turn ${turn}`)),
        call("read", { path: `src/${turn}.ts` }, text(100, `file ${turn}`)),
        say(`done ${turn}`),
      );
      await world.host.ask(session, `do ${turn}`);
      if (turn === 1) world = await world.restart();
    }
    const requests = world.host.model.primary(session.id);
    expect(requests.length).toBeGreaterThan(11);
    expect(findBreaks(requests)).toEqual([]);
  });

  it("a large result is moved to a file that the request names, and the stored message stays", async () => {
    const { files, host } = await openWorld();
    const session = host.newSession();
    const output = text(900, "row");
    host.model.script(call("shell", { command: "seq" }, output), say("done"));
    await host.ask(session, "go");
    const sent = host.model.primary(session.id).at(-1)?.messages.join("\n") ?? "";
    expect(sent).toContain("[Strata]");
    expect(sent).not.toContain("row 450 ");
    const path = /\/project\/\.opencode\/tool-results\/[\w-]+\.txt/.exec(sent)?.[0] ?? "";
    expect(files.text(path)).toBe(output);
    expect(JSON.stringify(session.stored)).toContain("row 450 ");
  });
});
