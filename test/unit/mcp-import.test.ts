import { expect, it } from "vitest";
import { openAll } from "../support/mcp.js";

it("an import by a client keeps the fields of an entry, and takes private ones with --private only", async () => {
  const entries = [
    { type: "fact", content: "The port is 8080.", importance: 0.9, confidence: 0.7, agent: "spark" },
    { type: "lesson", content: "The quokka is the lawyer.", sensitivity: "private" },
  ];
  for (const allowsPrivate of [false, true]) {
    const world = await openAll({ allowsPrivate });
    await world.files.writeWhole("/project/in.json", JSON.stringify(entries));
    expect(await world.client.call("import_memories", { input_path: "in.json" })).toContain(
      allowsPrivate ? "Kept 2, " : "1 refused.\nRefused: a private memory",
    );
    const all = JSON.parse(await world.strata("list --json")).memories;
    expect(all.map(({ id }: { id: string }) => id).sort()).toEqual([
      "knowledge/the-port-is-8080",
      ...(allowsPrivate ? ["private/procedure/the-quokka-is-the-lawyer"] : []),
    ]);
    expect(all.find(({ type }: { type: string }) => type === "knowledge")).toMatchObject({
      importance: 0.9,
      extra: { agent: "spark", confidence: 0.7 },
    });
  }
});
