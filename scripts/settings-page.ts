/** Formats `docs/settings.md` from the schema: every setting with its default, limits and owner. */
import { formatConfigSchema } from "../src/config/json-schema.js";
import { listFields, type Owner } from "../src/config/owners.js";
import type { ConfigSchema } from "../src/config/schema.js";

/** The fields of a JSON schema that the page uses. */
interface Described {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Described[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  items?: Described;
}

const TOP_LEVEL = "Folders";

const SET_BY: Record<Owner, string> = {
  anyone: "any file",
  user: "you",
  "user or lower": "you; a project may lower it",
};

const BEFORE = `# Settings

<!-- Made by npm run schema from src/config/schema.ts and each layer's settings.ts; edit those, or scripts/settings-page.ts. -->

Every setting has a default, so you need none of them. Put them next to the plugin's name in \`opencode.json\`:

\`\`\`json
{ "plugin": [["opencode-strata", { "toolResults": { "threshold": 20000, "perTool": { "read": 50000, "github_*": false } } }]] }
\`\`\`

A \`memory\` key in the same file works too. OpenCode 1.18.33 accepts such a key, but some other releases refuse to start,
so the options next to the name are safer.

- **Which value counts.** The options next to the name override the \`memory\` key, and a project's file overrides the
  global one, field by field.
- **Who may set it.** Repositories bring configuration files too. So settings that decide where text is sent, what is
  spent and what is trusted count only in your own configuration: \`~/.config/opencode/opencode.json\`, or the files that
  OpenCode's environment variables name. The last column says "you" for these. A project's files may lower some of them
  but never raise them. Everything else they set is ignored and reported in the log, in a toast and by \`strata doctor\`.
  Background calls never use a \`small_model\` or provider from a project's file.
- **A wrong value breaks nothing.** It is ignored, and a log line and a toast name the file, the key, the value, what is
  allowed and what is used instead.
- **The daily budget** of \`background\` is shared by all instances in the project. When it is used up, every layer works
  without a model.
- **Effective settings.** \`strata doctor --no-proof\` shows every setting and the file it comes from.
- [\`config.schema.json\`](../config.schema.json) has the same for editors.
`;

/** Formats the whole page. */
export function formatSettingsPage(configSchema: ConfigSchema): string {
  const schema: Described = JSON.parse(formatConfigSchema(configSchema));
  const owners = new Map(listFields(configSchema).map(({ path, owner }) => [path.join("."), owner]));
  const rows = (prefix: string, fields: Record<string, Described>): string[] =>
    Object.entries(fields).map(([name, field]) => formatRow(`${prefix}${name}`, field, owners));
  const groups = Object.entries(schema.properties ?? {});
  const sections = groups.flatMap(([name, group]) =>
    group.properties ? [formatSection(name, rows(`${name}.`, group.properties))] : [],
  );
  const single = Object.fromEntries(groups.filter(([, group]) => !group.properties));
  return [BEFORE, ...sections, formatSection(TOP_LEVEL, rows("", single))].join("\n");
}

function formatSection(title: string, rows: readonly string[]): string {
  return [
    `## ${title}`,
    "",
    "| setting | default | allowed | what it does | set by |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function formatRow(name: string, field: Described, owners: ReadonlyMap<string, Owner | undefined>): string {
  const value = field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``;
  const what = dropRule(field.description ?? "").replace(/[*<]/g, "\\$&");
  const cells = [`\`${name}\``, value, formatAllowed(field), what, SET_BY[owners.get(name) ?? "user"]];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Removes the sentence on ownership, which the last column repeats. */
const dropRule = (description: string): string =>
  description.replace(/ Counts only in your own configuration[^.]*\.$/, "");

function formatAllowed(field: Described): string {
  const { additionalProperties: each } = field;
  if (field.anyOf) return field.anyOf.map(formatAllowed).join(" or ");
  if (field.const !== undefined) return code(field.const);
  if (field.enum) return field.enum.map(code).join(", ");
  if (field.type === "boolean") return "`true`, `false`";
  if (field.minimum !== undefined && field.maximum !== undefined)
    return `${inDigits(field.minimum)} to ${inDigits(field.maximum)}`;
  if (field.items) return "a list of texts";
  if (typeof each === "object") return `by name: ${formatAllowed(each)}`;
  return "text";
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const inDigits = (count: number): string => count.toLocaleString("en-US");
