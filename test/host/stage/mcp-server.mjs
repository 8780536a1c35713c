/**
 * A small MCP server on standard input and output, started by the host, whose tools return results of
 * known size and shape. The host names them `mcp_blob`, `mcp_oneline`, `mcp_json` and `mcp_fail`.
 */

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "stage", version: "1.0.0" });
const size = z.number().int().min(0).describe("Exact size of the result in bytes");

server.registerTool(
  "blob",
  {
    description: "Text of exactly that many bytes, in lines; the same for the same seed.",
    inputSchema: { bytes: size, seed: z.number().int().optional() },
  },
  ({ bytes, seed }) => text(lines(bytes, seed ?? 1)),
);

server.registerTool(
  "oneline",
  { description: "Text of exactly that many bytes without a line break.", inputSchema: { bytes: size } },
  ({ bytes }) => text("0123456789".repeat(Math.ceil(bytes / 10)).slice(0, bytes)),
);

server.registerTool(
  "json",
  {
    description: "A JSON document on one line, a list of so many records.",
    inputSchema: { records: z.number().int().min(0).optional() },
  },
  ({ records = 100 }) => text(JSON.stringify(Array.from({ length: records }, (_, id) => record(id)))),
);

server.registerTool(
  "fail",
  { description: "Fails.", inputSchema: { message: z.string().optional() } },
  ({ message = "the tool was told to fail" }) => ({ ...text(message), isError: true }),
);

await server.connect(new StdioServerTransport());

/** @param {string} value */
function text(value) {
  return { content: [{ type: /** @type {const} */ ("text"), text: value }] };
}

/** @param {number} id */
function record(id) {
  return { id, name: `record ${id}`, price: id * 1.25, tags: ["even", "odd"].slice(id % 2) };
}

/**
 * Numbered lines of words, picked by a linear congruential generator (Numerical Recipes' constants).
 * @param {number} bytes
 * @param {number} seed
 */
function lines(bytes, seed) {
  const words = ["amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "haven"];
  let state = seed >>> 0;
  let result = "";
  for (let number = 1; result.length < bytes; number++) {
    result += `${number}:`;
    for (let word = 0; word < 8; word++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      result += ` ${words[state >>> 29]}`;
    }
    result += "\n";
  }
  return result.slice(0, bytes);
}
