/** Every tool of `strata mcp` with arguments that no client should send: always an answer, and nothing else changes. */
import { expect, it } from "vitest";
import { tools } from "../../src/mcp/tools.js";
import { type McpClient, openMcp } from "../support/mcp.js";
import { fc, runs } from "../support/property.js";

const fields = [...new Set(tools.flatMap(({ input }) => Object.keys(input.shape)))];
const hostile = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "../../x",
    "/etc/passwd",
    "a\0b",
    "__proto__",
    "private/idea/x",
    "x".repeat(20_000),
  ),
  fc.constantFrom(0, -1, 1.5, 1e308, true, null),
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.jsonValue(),
);
const names = fc.oneof(fc.constantFrom(...fields), fc.string({ maxLength: 12 }));
const args = fc.dictionary(names, hostile, { maxKeys: 6 });
/** Arguments of the right shape with arbitrary contents. */
const some = fc.string({ minLength: 1 });
const shaped = fc.record({
  query: some,
  content: fc.string({ unit: "grapheme", minLength: 3, maxLength: 200 }),
  category: fc.constantFrom("fact", "decision", "directive", "conversation", "nonsense"),
  memory_id: fc.oneof(fc.constantFrom("idea/x", "private/idea/x", "idea/../../x"), some),
  session_id: fc.oneof(fc.constantFrom("s1", "ses_1"), some),
  ...{ item_ref: some, entity_ref: some, summary: some, reason: some },
  ...{ input_path: some, output_path: some, file_path: some },
});

/** Keeps only the arguments that the tool has. */
const fit = (name: string, given: object): object => {
  const known = Object.keys(tools.find((tool) => tool.name === name)?.input.shape ?? {});
  return Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key)));
};

async function answer(client: McpClient, name: string, given: object): Promise<string> {
  const { content, isError } = await client.client.callTool({ name, arguments: { ...given } });
  const [part] = content as { text: string }[];
  expect(part?.text.length).toBeGreaterThan(0);
  if (isError) expect(part?.text).not.toMatch(/\n +at |TypeError|\[object|undefined is/);
  return part?.text ?? "";
}

const numRuns = runs(12, 200, "calls of each tool in mcp-arguments.test.ts");

it.each(tools.map(({ name }) => name))(
  "%s answers any arguments in words, and stays within the project",
  async (name) => {
    const world = await openMcp({ tools: "all" });
    const client = await world.connect();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          args,
          shaped.map((given) => fit(name, given)),
        ),
        async (given) => {
          await answer(client, name, given);
        },
      ),
      { numRuns },
    );
    expect(await client.names()).toHaveLength(tools.length);
    const places = [...world.files.contents.keys()].filter((path) => !path.startsWith("/home/me/"));
    expect(places.filter((path) => !/^\/project\/(\.git|\.opencode|[^./][^/]*\.jsonl?$)/.test(path))).toEqual(
      [],
    );
    await world.server.close();
    expect(world.warnings.filter((line) => /failed/.test(line))).toEqual([]);
  },
);
