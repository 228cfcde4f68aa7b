// One place to play in: a GitHub on this machine, a pull request, a clone's folder, and the built command line. Writes down what is said.
import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveScene, startSandbox } from "../../dist/sandbox/index.js";
import { normalised, progressOnce } from "./normalise.mjs";

const BIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Judges by the title, and mends two slips. */
const AGENT = `import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
const kind = (t) => (/decide/i.test(t.title) ? "judgment" : /^(why|could|can|what)|meant/i.test(t.title) ? (t.isBot ? "false-positive" : "informational") : "actionable");
const said = { informational: "n is the last index here; n - 1 was considered, and it drops the last one.", "false-positive": "It is meant so: n is the last index here." };
const answer = task.kind === "triage"
  ? { decisions: task.threads.map((t) => ({ thread: t.id, kind: kind(t), why: "read it", reply: /politely/.test(t.title) ? "Great question! n is the last index here. Hope this helps!" : (said[kind(t)] ?? null), root: null, question: kind(t) === "judgment" ? "Which of the two shall it be?" : null })) }
  : (() => {
      const file = task.worktree + "/src/a.js";
      writeFileSync(file, task.threads.reduce((text, t) => (t.source === "gate" ? text.replaceAll("BROKEN", "n") : /risky/.test(t.title) ? text.replaceAll("<=", "< BROKEN +") : text.replaceAll("<=", "<")), readFileSync(file, "utf8")));
      return { changed: task.threads.map((t) => ({ thread: t.id, summary: t.source === "gate" ? "the name exists now" : "compares with < now", files: ["src/a.js"] })), unfixed: [] };
    })();
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
`;

const FILES = {
  "src/a.js": "one\ntwo\n",
  "check.mjs":
    'import { readFileSync } from "node:fs";\nif (readFileSync("src/a.js", "utf8").includes("BROKEN")) {\n  console.error("src/a.js:2: BROKEN is not defined");\n  process.exit(1);\n}\n',
};
const HEAD = { "src/a.js": "one\nfor (i = 0; i <= n; i++)\n" };

const finished = (child) => new Promise((resolve) => child.once("close", (code) => resolve(code ?? -1)));
const visible = (body) =>
  body
    .split("\n")
    .filter((line) => !/^<!--.*-->$/.test(line.trim()))
    .join("\n")
    .trim();
const flat = (body) => visible(body).replaceAll(/\s*\n\s*/g, " / ");

/** Opens a place; `files` are those of the branch, `draft` makes it one. */
/** A next command names the pull request as the command that is shown did. */
const asSpoken = (text, url) =>
  text.replaceAll(new RegExp(`(reviewloop [a-z-]+(?: not-ready)? )${url.replaceAll(".", "\\.")}(?![/#\\d])`, "g"), "$1PR");

export const openPlace = async ({ files = HEAD, draft = false } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-transcript-"));
  const sandbox = await startSandbox();
  const { world } = sandbox;
  for (const login of ["ada", "grace"]) world.addUser(login);
  world.addRepository("ada/shop", { files: FILES });
  world.setAccess("ada/shop", "grace", "write");
  world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files, message: "Count" });
  const pullRequest = world.openPullRequest("ada", { repository: "ada/shop", head: "topic", title: "Count to n", draft });
  const agent = join(folder, "agent.mjs");
  await writeFile(agent, AGENT);
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    GITHUB_API_URL: sandbox.apiUrl,
    GITHUB_GRAPHQL_URL: sandbox.graphqlUrl,
    GH_TOKEN: sandbox.tokenFor("ada"),
    NO_COLOR: "1",
    TZ: "UTC",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.test",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.test",
  };
  const lines = [];
  const clean = normalised({ url: sandbox.url, host: new URL(sandbox.url).host, folder });
  let shown = "";
  let cwd = folder;
  let waited = [];

  const at = {
    world,
    sandbox,
    pullRequest,
    folder,
    /** Does it once the command under way says that it waits: on a busy machine time alone would tell another story. */
    atWait: (act) => void waited.push(act),
    /** Prose between two commands. */
    say: (text) => void lines.push("", text),
    /** Writes the config, and shows it where it is not the one before. */
    async config(extra = {}) {
      const own = { extends: "review-clean", gate: "node check.mjs", ...extra };
      const rest = {
        agent: ["command", { run: ["node", agent] }],
        worktree: { setup: false },
        wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
      };
      await writeFile(join(folder, "reviewloop.json"), JSON.stringify({ ...rest, ...own, wait: { ...rest.wait, ...own.wait } }));
      const text = JSON.stringify(own, null, 2);
      if (text !== shown) lines.push("", "```json", clean(text), "```");
      shown = text;
    },
    /** Clones the repository; commands run there from now on. */
    async clone() {
      cwd = join(folder, "shop");
      const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`x-access-token:${environment.GH_TOKEN}`).toString("base64")}`;
      const child = spawn("git", ["-c", header, "clone", "--quiet", "--branch", "topic", `${sandbox.url}/ada/shop.git`, cwd], {
        env: environment,
      });
      await finished(child);
    },
    /** Runs a command of the command line, and writes down what it says. */
    async run(args, { environment: more = {} } = {}) {
      const words = args.map((word) => (word === "PR" ? `${sandbox.url}/ada/shop/pull/${pullRequest.number}` : word));
      const child = spawn(process.execPath, [BIN, ...words, "--config", join(folder, "reviewloop.json")], {
        cwd,
        env: { ...environment, ...more },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      const hear = (part) => {
        said += part;
        if (!/^wait {2}for /m.test(part)) return;
        const acts = waited;
        waited = [];
        for (const act of acts) act();
      };
      for (const stream of [child.stderr, child.stdout]) stream.setEncoding("utf8").on("data", hear);
      const code = await finished(child);
      const short = asSpoken(
        said.replaceAll(` --config ${join(folder, "reviewloop.json")}`, ""),
        `${sandbox.url}/ada/shop/pull/${pullRequest.number}`,
      );
      lines.push("", "```console", `$ reviewloop ${args.join(" ")}`, progressOnce(clean(short)).trim(), `exit ${code}`, "```");
    },
    /** Runs a reading command on a scene of `reviewloop sandbox --list`. */
    async scene(name, command) {
      const served = await serveScene(name, { seed: 1 });
      const { sandbox: other, pullRequestUrl } = served;
      const child = spawn(process.execPath, [BIN, command, pullRequestUrl], {
        cwd: folder,
        env: { ...environment, GITHUB_API_URL: other.apiUrl, GITHUB_GRAPHQL_URL: other.graphqlUrl, GH_TOKEN: served.token },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const stream of [child.stderr, child.stdout]) stream.setEncoding("utf8").on("data", (part) => (said += part));
      const code = await finished(child);
      const own = normalised({ url: other.url, host: new URL(other.url).host, folder });
      lines.push(
        "",
        `Scene \`${name}\`:`,
        "",
        "```console",
        `$ reviewloop ${command} PR`,
        own(asSpoken(said, pullRequestUrl)).trim(),
        `exit ${code}`,
        "```",
      );
      await served.close();
    },
    /** What stands on the pull request now, as everybody sees it. */
    show() {
      const out = [];
      for (const thread of pullRequest.threads) {
        out.push(`${thread.resolved ? "resolved" : "open    "}  ${thread.path}`);
        for (const comment of thread.comments) out.push(`    ${comment.author}: ${flat(comment.body)}`);
      }
      for (const review of pullRequest.reviews)
        if (visible(review.body) !== "") out.push(`review    ${review.author} (${review.state}): ${flat(review.body)}`);
      for (const comment of pullRequest.comments)
        out.push(
          `comment   ${comment.author}: ${flat(comment.body)}${comment.minimised === undefined ? "" : `  [hidden: ${comment.minimised}]`}`,
        );
      let sha = pullRequest.head.sha;
      for (let count = 0; count < 4 && sha !== undefined; count += 1) {
        const commit = world.git.commit("ada/shop", sha);
        if (commit === undefined) break;
        out.push(`commit    ${commit.message.split("\n")[0]}${commit.parents.length > 1 ? "  [merge]" : ""}`);
        sha = commit.parents[0];
      }
      if (pullRequest.draft) out.push("draft");
      lines.push("", "On the pull request:", "", "```text", clean(out.join("\n")), "```");
    },
    async write(name, text) {
      const file = join(folder, name);
      await writeFile(file, text);
      await chmod(file, 0o755);
      return file;
    },
    text: () => lines.join("\n").trim(),
    async close() {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return at;
};
