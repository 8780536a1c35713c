// The screen half of server.js.
export { default } from "./dist/tui.js";
