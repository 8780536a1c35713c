/** Has the host collect its garbage when a user's message says "collect", so that memory is compared without it. */
async function server() {
  return {
    "chat.message": async (/** @type {any} */ _input, /** @type {any} */ { parts }) => {
      const bun = /** @type {any} */ (globalThis).Bun;
      if (parts.some((/** @type {any} */ { text }) => text === "collect")) bun?.gc(true);
    },
  };
}

export default { id: "collect", server };
