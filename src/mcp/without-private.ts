import { isConfidential, type Memory, parseID } from "../memory/memory.js";
import type { OpenMemories, Written } from "../memory/store/store.js";

export function withoutPrivate(store: OpenMemories): OpenMemories {
  const ifShown =
    (call: (id: string, ...rest: never[]) => Promise<Written>) =>
    async (id: string, ...rest: unknown[]): Promise<Written> =>
      (await mayShow(id)) ? call(id, ...(rest as never[])) : refuse(formatUnknown(id));

  return {
    ...store,
    async read(id) {
      const memory = await store.read(id);
      return memory && isShown(memory) ? memory : undefined;
    },
    list: async (options) => (await store.list(options)).filter(isShown),
    known: () => store.known().filter(isShown),
    foreign: () => store.foreign().filter(isShown),
    problems: () => store.problems().filter(({ path }) => isShownPath(path)),
    locate: async (id) => ((await mayShow(id)) ? store.locate(id) : undefined),
    history: async (id) => ((await mayShow(id)) ? store.history(id) : []),
    remember: async (draft, cause) =>
      draft.sensitivity === "private"
        ? refuse(
            "This server has no access to private memories; the user can start it with strata mcp --private.",
          )
        : store.remember(draft, cause),
    update: ifShown(store.update) as OpenMemories["update"],
    archive: ifShown(store.archive),
    restore: ifShown(store.restore),
    discard: ifShown(store.discard),
    publish: ifShown(store.publish),
  };

  /** Of a memory in `private/` only its file says whether it may be shown. */
  async function mayShow(id: string): Promise<boolean> {
    const memory = isShownID(id) ? undefined : await store.read(id);
    return memory ? isShown(memory) : isShownID(id);
  }
}

/** The same sentence for a missing memory and for a hidden one. */
export const formatUnknown = (id: string): string => `There is no memory ${id}; find ids with recall.`;

const refuse = (why: string): Written => ({ kind: "refused", why });
const isShown = (memory: Memory): boolean => !isConfidential(memory);

/** Also hides what is not an id. */
export const isShownID = (id: string): boolean => parseID(id)?.sensitivity === "internal";

/** May this memory file be shown? By its absolute path, since the project itself may be in a folder named private. */
export const isShownPath = (path: string): boolean => !/[\\/]memory[\\/]private[\\/]/.test(path);
