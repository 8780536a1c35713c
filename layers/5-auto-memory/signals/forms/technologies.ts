/** Names of languages, frameworks, databases, services and tools, as pattern sources. A choice of one outlives its task. */

const LANGUAGES =
  "typescript, javascript, python, golang, rust, java, kotlin, swift, scala, elixir, ruby, php, perl, haskell, clojure, c\\+\\+, c#, dart, solidity, bash, powershell, sql, html, css, sass, scss, webassembly";
const FRAMEWORKS =
  "react native, react, preact, vue ?js, vue, nuxt, sveltekit, svelte, angular, next\\.?js, remix, astro, solidjs, nest\\.?js, express\\.?js, fastify, koa, hono, django, flask, fastapi, rails, laravel, symfony, spring boot, asp\\.net, blazor, dotnet, flutter, electron, tauri, expo, ionic, jquery, alpine\\.?js, htmx, three\\.?js, d3, chart\\.?js, e?charts, tailwind ?(?:css)?, bootstrap, shadcn(?:/ui)?, material ui, mui, chakra, unity, godot, unreal, phaser, pytorch, tensorflow, scikit-learn, pandas, polars, numpy, langchain";
const STORES =
  "postgres(?:ql)?, mysql, mariadb, sqlite, sql server, mongo(?:db)?, redis, dynamodb, cassandra, elasticsearch, supabase, firebase, firestore, planetscale, prisma, drizzle, sequelize, typeorm, sqlalchemy, knex, mongoose, kafka, rabbitmq, nats, s3, minio, pinecone, duckdb, clickhouse";
const SERVICES =
  "aws, azure, gcp, google (?:cloud|maps|drive|sheets|analytics), vercel, netlify, cloudflare, heroku, fly\\.io, digitalocean, hetzner, kubernetes, k8s, docker(?: compose)?, podman, terraform, ansible, nginx, apache, caddy, traefik, github actions, gitlab(?: ci)?, jenkins, github, bitbucket, jira, sentry, datadog, grafana, prometheus, stripe, paypal, twilio, sendgrid, auth0, clerk, okta, openai, anthropic, claude, gemini, ollama, discord, slack, telegram";
const TOOLS =
  "npm, pnpm, yarn, bun, deno, vite, webpack, rollup, esbuild, turborepo, lerna, babel, jest, vitest, mocha, playwright, cypress, selenium, pytest, unittest, junit, rspec, eslint, biome, prettier, ruff, mypy, pyright, poetry, pipenv, conda, maven, gradle, cargo, cmake, git, husky, storybook, zod, graphql, trpc, grpc, websockets?, mqtt, jwt, oauth2?";

const names = [LANGUAGES, FRAMEWORKS, STORES, SERVICES, TOOLS].join(", ").split(", ");

/** Any of the names, in lower case, with no letter before or after it; longer names come first. */
export const TECHNOLOGY = `(?<![\\w./@-])(?:${names.sort((a, b) => b.length - a.length).join("|")})(?![\\w/-])`;
