/** A person steers the context on the contract host, with `/context` as where no screen half is loaded. */
import { expect, it } from "vitest";
import { parseContextItems } from "../../src/steering/context-items.js";
import { PROJECT } from "../support/fake-host.js";
import type { HostSession } from "./host-types.js";
import { call, findBreaks, say } from "./script.js";
import { openWorld, runCommand, type World } from "./world.js";

const options = { microCompact: { enabled: false } };

/** `count` lines that no line of another seed equals. */
const text = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, index) => `${seed} ${index} ${"x".repeat(60)}`).join("\n");

const lastSent = ({ host }: World, { id }: HostSession): string =>
  host.model.primary(id).at(-1)?.messages.join("\n") ?? "";

async function goOn({ host }: World, session: HostSession, words: string): Promise<void> {
  host.model.script(say(`Well: ${words}`));
  await host.ask(session, words);
}

async function findID(world: World, { id }: HostSession, kind: string, name: string): Promise<string> {
  await world.strata?.idle();
  const page = world.files.text(`${PROJECT}/.opencode/strata/state/screen/${id}.context.json`);
  const items = parseContextItems(JSON.parse(page ?? "null"))?.items ?? [];
  return items.find((one) => one.kind === kind && one.name.includes(name))?.id ?? `no ${kind} of ${name}`;
}

async function open(): Promise<{ world: World; session: HostSession }> {
  const world = await openWorld({ options });
  const session = world.host.newSession();
  for (const name of ["one", "two"]) {
    world.host.model.script(
      call("read", { path: `${name}.ts` }, text(100, `file ${name}`)),
      call("shell", { command: `make ${name}` }, text(60, `made ${name}`)),
      say(`I have made ${name}.`),
    );
    await world.host.ask(session, `Make ${name}.`);
  }
  return { world, session };
}

it("a dropped result and a dropped turn leave the requests of OpenCode 2, pairs whole, also after a restart", async () => {
  const { world, session } = await open();
  await goOn(world, session, "What now?");
  await runCommand(world, "context", session.id, `drop ${await findID(world, session, "result", "one.ts")}`);
  await runCommand(world, "context", session.id, `drop ${await findID(world, session, "turn", "Make two")}`);
  await goOn(world, session, "And now?");
  const sent = lastSent(world, session);
  expect(sent).toContain("[Strata] Dropped by the user: read result, ");
  expect(sent).toContain("[Strata] Dropped by the user: this turn of the agent, calls of read, bash, about ");
  for (const gone of ["file one 50 ", "file two 50 ", "made two 50 ", "I have made two."])
    expect(sent).not.toContain(gone);
  for (const kept of ["made one 50 ", "I have made one.", "Make one.", "Make two."])
    expect(sent).toContain(kept);
  expect(findBreaks(world.host.model.primary(session.id))).toHaveLength(1);

  const again = await world.restart();
  await goOn(again, session, "After the restart?");
  expect(lastSent(again, session).startsWith(sent)).toBe(true);
  expect(await again.log()).not.toContain("the request stays as it was");
});

it("what was dropped comes back in OpenCode 2 behind the next message, and an undone cut sends all messages again", async () => {
  const { world, session } = await open();
  const id = await findID(world, session, "result", "one.ts");
  await runCommand(world, "context", session.id, `drop ${id}`);
  await goOn(world, session, "Without it.");
  await runCommand(world, "context", session.id, `expand ${id}`);
  await goOn(world, session, "With it.");

  world.strata?.requests.wantCut(session.id);
  await goOn(world, session, "Shorter.");
  expect(lastSent(world, session)).toContain("[Strata] The session so far is too long");
  await runCommand(world, "context", session.id, "undo-cut");
  await goOn(world, session, "All of it.");
  const sent = lastSent(world, session);
  expect(sent).not.toContain("[Strata] The session so far is too long");
  for (const kept of ["Make one.", "made one 50 ", "file two 50 "]) expect(sent).toContain(kept);
  expect(await world.log()).not.toContain("the request stays as it was");
});
