/**
 * Commands for which a non-zero exit is an answer, not a failure: `grep` found nothing, a test fails, types do not match.
 * All of it is data; `isFailedCommand` applies it.
 */

export interface ExpectedExit {
  /** Matches a simple command from its first word, without leading path, variables or runner (`npx`, `time`). */
  readonly pattern: RegExp;
  /** Exit codes that are answers; default all. */
  readonly exits?: readonly number[];
}

export const expectedExits: readonly ExpectedExit[] = [
  // Searches and comparisons: 1 is "no", 2 is trouble (POSIX).
  { pattern: /^(([efz]|bz|xz)?grep|rg|ag|ack|git grep)\b/, exits: [1] },
  { pattern: /^(diff|cmp|comm|colordiff|git diff)\b/, exits: [1] },
  // Questions.
  { pattern: /^(test\b|\[\[?\s|which\b|type\b|command -v|hash\b|false\b|expr\b|let\b|!)/, exits: [1, 2] },
  {
    pattern: /^(pgrep|pidof|lsof|fuser|getent|nc|ping|host|nslookup|kill -0|timeout|systemctl (is-|status))/,
  },
  { pattern: /^git (merge-base|show-ref|check-ignore|rev-parse|ls-files|config (--get\S*|-l)|ls-remote)\b/ },
  // Test runners.
  {
    pattern:
      /^(jest|vitest|mocha|ava|tap|jasmine|karma|cypress|playwright|wtr|pytest|py\.test|tox|nox|nosetests|unittest|rspec|minitest|phpunit|pest|ctest|elm-test|bats|busted|prove|behave|cucumber\S*|newman|k6|stryker)\b/,
  },
  {
    pattern:
      /^(go|cargo|dotnet|swift|bazel|bazelisk|zig|mix|deno|bun|flutter|dart|rake|sbt|lein|stack|cabal|dune|gleam|nx|turbo|lerna|rush|moon) ([\w:@/.-]+ )*(test|tests|nextest|vet|build|check|clippy|lint|fmt|format|analyze|compile|credo|dialyzer|spec|bench)\b/,
  },
  { pattern: /^node (--\S+ )*--test\b/ },
  {
    pattern:
      /^python[\d.]* -m (pytest|unittest|mypy|pylint|flake8|ruff|black|compileall|doctest|nose\w*|tox)\b/,
  },
  { pattern: /^(mvn|mvnw|gradle|gradlew|ant)\b/ },
  // Linters, formatters, type checkers and compilers.
  {
    pattern:
      /^(tsc|tsgo|vue-tsc|svelte-check|eslint|biome|oxlint|prettier|dprint|stylelint|standard|xo|tslint|jshint|ruff|flake8|pylint|pycodestyle|mypy|pyright|basedpyright|pyre|ty|black|isort|bandit|rubocop|standardrb|sorbet|golangci-lint|staticcheck|gofmt|gofumpt|revive|rustfmt|clang-tidy|clang-format|cppcheck|shellcheck|shfmt|hadolint|yamllint|markdownlint\S*|ktlint|detekt|checkstyle|spotbugs|phpstan|psalm|phpcs|php-cs-fixer|sqlfluff|actionlint|tflint|pre-commit|lint-staged|knip|depcheck|madge|attw|publint|commitlint|cspell|codespell|vale)\b/,
  },
  {
    pattern:
      /^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac|kotlinc|scalac|rustc|ghc|swiftc|ninja|cmake --build)\b/,
  },
  {
    pattern:
      /^(webpack|vite build|rollup|esbuild|tsup|parcel|next (build|lint)|nuxt build|ng (build|test|lint))\b/,
  },
  { pattern: /^terraform (validate|fmt|plan)\b/ },
  { pattern: /^(npm|pnpm|yarn) (audit|outdated)\b/ },
  // A project's own scripts, by name.
  {
    pattern:
      /^(npm|pnpm|yarn|bun|composer|rake|make|gmake|just|task|invoke|hatch|pdm|uv|poetry|pipenv|rye|deno task|grunt|gulp)\b([^'"]*[\s:/_-])?(tests?|spec|lint|checks?|types?|typecheck|tsc|build|compile|format|fmt|ci|verify|validate|e2e|coverage|t)\b/,
  },
  { pattern: /^make$/ },
  { pattern: /^[\w.-]*(test|lint|check|spec|verify)[\w.-]*\.(sh|bash|py|js|mjs|cjs|ts|rb|pl)\b/ },
  {
    pattern:
      /^(bash|sh|zsh|node|tsx|ts-node|deno run|bun|python[\d.]*|ruby) \S*(test|lint|check|spec|verify)\S*/,
  },
];

/** Outputs that report on the code: the exit code of any command with such an output is an answer. */
export const reports: readonly RegExp[] = [
  /\b\d+ (tests? |specs? |examples?, \d+ )?(failed|failing|failures?|passed|passing)\b/i,
  /^[ \t]*(--- )?(FAIL|FAILED|not ok)\b/m,
  /\bAssertionError\b|\bassertion failed\b/i,
  /\berror TS\d+:/,
  /^error\[E\d+\]/m,
  /\bFound \d+ (errors?|problems?|issues?)\b|\b\d+ problems? \(\d+ errors?/i,
];

/** Outputs of a command that could not do its check: it has failed, even with an expected exit code. */
export const misuses: readonly RegExp[] = [
  /^(\/\S*\/)?(ba|da|z|k|a)?sh: /m,
  /\bcommand not found\b|\bis not recognized as an internal or external command\b/,
  /\bmissing script\b|\bERR_PNPM_NO_SCRIPT\b|\bCommand "[^"]+" not found\b|\bcouldn't find a package\.json\b/i,
  /^npm (ERR!|error) code E(NOENT|404|ACCES|JSONPARSE|OVERRIDE)/m,
  /\bno rule to make target\b|\bno such (sub)?command\b|\bno makefile found\b/i,
  /^.{0,80}\b(unknown|unrecognized|unrecognised|illegal|invalid) (compiler )?(options?|arguments?|flags?|command)\b/im,
  /^\S*python[\d.]*: (No module named|can't open file)/m,
  /^No tests? (files? |suites? )?(were )?found\b/im,
  /\bcould not find `?Cargo\.toml|\bgo\.mod file not found\b|\bno pom\.xml\b|\bthere is no POM in this directory\b/i,
];
