import { expect, it } from "vitest";
import { createFamily } from "../../src/project/family.js";
import { createFakeHost } from "../support/fake-host.js";

const created = (id: string, parentID?: string) => ({
  type: "session.created",
  properties: { info: { id, ...(parentID !== undefined && { parentID }) } },
});

function open() {
  const host = createFakeHost();
  return { host, family: createFamily(host) };
}

it("the family is what the host reported or answers; a cycle ends", async () => {
  const { family, host } = open();
  host.parents.set("b", "a");
  family.onEvent(created("c", "b"));
  expect(await family.findAncestors("c")).toEqual(["b", "a"]);
  host.parents.set("x", "y").set("y", "x");
  expect(await family.findAncestors("x")).toHaveLength(5);
});

it("the family is asked for again if the host did not answer, and until then no person opened the session", async () => {
  const { family, host } = open();
  host.findParent = async () => "unknown";
  expect(await family.findParent("c")).toBeUndefined();
  expect(await family.isPersons("c")).toBe(false);
  host.findParent = async () => "a";
  expect(await family.findParent("c")).toBe("a");
  expect(await family.isPersons("c")).toBe(false);
  host.findParent = async () => undefined;
  expect(await family.isPersons("d")).toBe(true);
});

it("the family is known without asking the host if the session's creation was heard, or it was asked about before", async () => {
  const { family, host } = open();
  let asked = 0;
  host.findParent = async () => {
    asked++;
    return "a";
  };
  family.onEvent(created("c", "b"));
  family.onEvent(created("main"));
  expect(family.knownParent("c")).toBe("b");
  expect(family.knownParent("main")).toBeUndefined();
  expect(await family.isPersons("main")).toBe(true);
  expect(asked).toBe(0);
  expect(family.knownParent("older")).toBeUndefined();
  await family.findParent("older");
  expect(family.knownParent("older")).toBe("a");
});

it("the parent of a fork by Strata is the session that asked for it, whatever the host says", async () => {
  const { family, host } = open();
  const fork = { ...host, isFork: (id: string) => id === "fork", findAsker: () => "asker" };
  expect(await createFamily(fork).findParent("fork")).toBe("asker");
  expect(await family.findParent("fork")).toBeUndefined();
});
