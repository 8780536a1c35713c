/** The stage's configuration, which is written for OpenCode 1, in the form of OpenCode 2. Unknown keys stay. */
import { isRecord, type PlainRecord } from "../../../src/base/shape.js";

export function toConfig2(config: PlainRecord): PlainRecord {
  const {
    agent,
    autoupdate: _,
    compaction,
    mcp,
    permission,
    plugin,
    provider,
    small_model: small,
    snapshot,
    ...rest
  } = config;
  const title = typeof small === "string" ? { title: { model: small } } : {};
  return {
    ...rest,
    update: "disable",
    permissions: toPermissions(permission),
    snapshots: snapshot ?? false,
    agents: { ...title, ...(isRecord(agent) && mapValues(agent, toAgent)) },
    plugins: Array.isArray(plugin) ? plugin.map(toPlugin) : [],
    ...(isRecord(provider) && { providers: mapValues(provider, toProvider) }),
    ...(isRecord(compaction) && { compaction: toCompaction(compaction) }),
    ...(isRecord(mcp) && { mcp: { servers: mapValues(mcp, toServer) } }),
  };
}

const ACTIONS: Readonly<Record<string, string>> = { bash: "shell", task: "subagent" };

const toPermissions = (permission: unknown): PlainRecord[] =>
  Object.entries(isRecord(permission) ? permission : {}).map(([action, effect]) => ({
    ...{ action: ACTIONS[action] ?? action, resource: "*", effect },
  }));

const toAgent = ({ permission, ...agent }: PlainRecord): PlainRecord => ({
  ...agent,
  ...(isRecord(permission) && { permissions: toPermissions(permission) }),
});

const toPlugin = (entry: unknown): unknown =>
  Array.isArray(entry) ? { package: entry[0], options: entry[1] } : entry;

function toCompaction({ auto, reserved }: PlainRecord): PlainRecord {
  return { ...(auto !== undefined && { auto }), ...(reserved !== undefined && { buffer: reserved }) };
}

/** Its tools are offered to the model as such, not to programs in Code Mode. */
const toServer = ({ timeout: _, ...server }: PlainRecord): PlainRecord => ({ ...server, codemode: false });

function toProvider({ models = {}, name = "Mock", options }: PlainRecord): PlainRecord {
  return {
    name,
    package: "@opencode/ai/providers/openai-compatible",
    settings: options,
    models: mapValues(models as PlainRecord, toModel),
  };
}

function toModel({ cost, limit, modalities, name }: PlainRecord): PlainRecord {
  const { input = ["text"], output = ["text"] } = isRecord(modalities) ? modalities : {};
  return { name, limit, capabilities: { tools: true, input, output }, ...(isRecord(cost) && toCost(cost)) };
}

function toCost({ cache_read: read, cache_write: write, input, output }: PlainRecord): PlainRecord {
  return { cost: { input, output, cache: { read, write } } };
}

function mapValues(record: PlainRecord, change: (value: PlainRecord) => PlainRecord): PlainRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value as PlainRecord)]),
  );
}
