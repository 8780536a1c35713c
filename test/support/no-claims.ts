import type { ModelClaims } from "../../src/config/plugin-entries.js";

export const NO_CLAIMS: ModelClaims = { users: {}, all: {}, project: [] };
