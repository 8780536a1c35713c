/** The events that the server half sends to the screen half in OpenCode 2, which has no toasts on the server. */
export const SCREEN_EVENTS = {
  id: "opencode-strata",
  methods: {},
  events: {
    toast: {
      schema: {
        type: "object",
        properties: { message: { type: "string" }, variant: { type: "string" } },
        required: ["message", "variant"],
        additionalProperties: false,
      },
    },
  },
} as const;
