/** Tools of a project's own, by name: the files that define them, each with an expression for its result. */
import { HOST } from "./which-host.js";

export function customTools(tools: Readonly<Record<string, string>>): Record<string, string> {
  if (HOST === 2) return { ".opencode/plugins/own/index.js": formatPlugin(tools) };
  return Object.fromEntries(
    Object.entries(tools).map(([name, result]) => [
      `.opencode/tool/${name}.js`,
      `import { tool } from "@opencode-ai/plugin";
export default tool({ description: "test", args: {}, async execute() { return ${result}; } });`,
    ]),
  );
}

/** OpenCode 2 has no folder for tools; a plugin adds them. */
function formatPlugin(tools: Readonly<Record<string, string>>): string {
  const added = Object.entries(tools).map(([name, result]) => `add("${name}", () => (${result}));`);
  return `const file = ({ mime, url }) => ({ type: "file", mime, uri: url });
const content = (result) =>
  typeof result === "string"
    ? result
    : [{ type: "text", text: result.output }, ...result.attachments.map(file)];
export default {
  id: "own",
  async setup(context) {
    await context.tool.transform((editor) => {
      const input = { type: "object", properties: {} };
      const options = { codemode: false };
      const add = (name, run) =>
        editor.add({ name, description: "test", input, options, execute: async () => ({ content: content(run()) }) });
      ${added.join("\n      ")}
    });
  },
};
`;
}
