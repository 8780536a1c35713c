/** Wrong settings are told where the user looks. */
import { expect, it } from "vitest";
import { bindTestHooks } from "../support/hooks.js";
import { user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const WRONG = { dream: { interval: "often" }, colour: 1 };

it("wrong settings are shown with the first turn, once, however long ago the screen was opened", async () => {
  const world = await openWorld({ options: WRONG });
  const { hooks } = bindTestHooks(world.strata);
  const turn = async (): Promise<void> => {
    const { info, parts } = user("go");
    const given = { message: info, parts } as never;
    await hooks["chat.message"]?.({ sessionID: "ses_1" }, given);
    world.clock.advance(10_000);
  };
  world.clock.advance(600_000);
  const before = world.host.toasts.length;
  await turn();
  expect(world.host.toasts.slice(before)).toEqual([
    expect.stringContaining("2 settings are wrong (strata doctor): "),
  ]);
  await turn();
  expect(world.host.toasts).toHaveLength(before + 1);
});

it("/memory shows the number of wrong settings, and the first of them", async () => {
  const world = await openWorld({ options: WRONG });
  const memory = world.strata.dispatcher.commands.find(({ name }) => name === "memory");
  const text = await memory?.execute({ sessionID: "ses_1", words: "" }, new AbortController().signal);
  expect(text?.replace(/\s+/g, " ")).toMatch(
    /Problems - wrong setting: .*(dream\.interval|colour).*and 1 more: strata doctor/,
  );
});
