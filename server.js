// OpenCode 2 loads a plugin's folder by `server.js` and `tui.js` in it; `main` and `exports` of package.json count for packages.
export { default } from "./dist/plugin.js";
