import { describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { answer, call, fork, lines, outputs, pathIn, user } from "../support/messages.js";
import { onlyOutput, openWorld } from "../support/world.js";

const RESULTS = `${PROJECT}/.opencode/tool-results`;
const DECISIONS = `${PROJECT}/.opencode/strata/state/decisions/2026-11-21.jsonl`;
const large = lines(2_000);

describe("the same bytes, for ever", () => {
  const history = () => [
    user("go"),
    answer([call("bash", large, { callID: "call_0" })]),
    answer([call("bash", lines(900))]),
  ];

  it("a restart shows the same strings, although thresholds and templates may have changed since", async () => {
    const world = await openWorld();
    const messages = history();
    const first = await world.request(messages);
    const record = world.files.text(DECISIONS) ?? "";
    world.files.contents.set(
      DECISIONS,
      Buffer.from(record.replaceAll("Nothing is lost", "Worded otherwise")),
    );
    const again = await openWorld({ ...world, options: { toolResults: { threshold: 4_096 } } });
    expect(outputs(await again.request(messages))).toEqual(
      outputs(first).map((text) => text.replaceAll("Nothing is lost", "Worded otherwise")),
    );
  });

  it("a result that was judged to stay, stays, whatever comes after it", async () => {
    const world = await openWorld();
    const kept = answer([call("bash", lines(600))]);
    await world.request([user("go"), kept]);
    const stricter = await openWorld({ ...world, options: { toolResults: { threshold: 4_096 } } });
    const [still, gone] = outputs(
      await stricter.request([user("go"), kept, answer([call("bash", lines(601))])]),
    );
    expect(still).toBe(lines(600));
    expect(gone).toContain(RESULTS);
  });

  it("a fork with new message ids shows the same strings, also in another instance", async () => {
    const world = await openWorld();
    const messages = history();
    const first = outputs(await world.request(messages));
    const other = await world.restart();
    expect(outputs(await other.request(fork(messages, "ses_fork")))).toEqual(first);
    expect(outputs(await world.request(fork(messages, "ses_fork")))).toEqual(first);
  });

  it("decisions that another instance makes later are found when they are needed", async () => {
    const here = await openWorld();
    const there = await here.restart();
    await here.request([user("go"), answer([call("bash", lines(1_000))])]);
    const later = [user("more"), answer([call("bash", large)])];
    const [preview] = outputs(await there.request(later));
    expect(await onlyOutput(here, fork([...later, user("go on")], "ses_2"))).toBe(preview);
    const made = (here.files.text(DECISIONS) ?? "").split("\n").filter((line) => line.includes('"replaced"'));
    expect(made).toHaveLength(2);
  });

  it("call ids that a provider uses again do not mix results up", async () => {
    const world = await openWorld();
    const one = answer([call("bash", lines(1_500), { callID: "call_0" })]);
    const two = answer([call("bash", lines(1_600), { callID: "call_0" })]);
    const [first, second] = outputs(await world.request([user("go"), one, two]));
    expect(world.files.text(pathIn(first))).toBe(lines(1_500));
    expect(world.files.text(pathIn(second))).toBe(lines(1_600));
  });

  it("deleting the machine state changes nothing but that results are judged again", async () => {
    const world = await openWorld();
    const messages = history();
    const first = outputs(await world.request(messages));
    world.files.contents.delete(DECISIONS);
    expect(outputs(await (await world.restart()).request(messages))).toEqual(first);
  });
});
