import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Report } from "../../index.js";
import { BODIES } from "../../sandbox/reviewers/index.js";
import { score } from "./driver.js";
import { play } from "./playing.js";

const line = (report: Report, reviewer: string) => {
  const { state, score: value, reason, asked, open, head } = report.reviewers.find((each) => each.reviewer === reviewer) ?? {};
  return {
    state,
    asked,
    open,
    here: head === report.head,
    ...(value === undefined ? {} : { score: value }),
    ...(reason === undefined ? {} : { reason }),
  };
};

const ALL = [
  "greptile",
  "devin",
  "copilot",
  "coderabbit",
  "gemini",
  "bugbot",
  "codex",
  "claude",
  "cubic",
  "sourcery",
  "qodo",
  "macroscope",
  "seer",
  "codeant",
  "ellipsis",
  "pr-reviewer",
];

describe("every reviewer on one pull request", () => {
  it("is read as it stands: who found what, who refused, who is bound to no head", async () => {
    const { report } = await play("everyone", 1, {}, { reportOnly: true });
    // After the reviewers a line for each person who asked for something.
    expect(report.reviewers.map((each) => each.reviewer).slice(0, ALL.length)).toEqual(ALL);
    const states = Object.fromEntries(report.reviewers.map((each) => [each.reviewer, each.state]));
    expect(states).toMatchObject({ gemini: "skipped", sourcery: "limited", ellipsis: "skipped", seer: "absent" });
    for (const name of ["greptile", "devin", "copilot", "coderabbit", "bugbot", "codex", "cubic", "macroscope", "pr-reviewer"])
      expect(report.reviewers.find((each) => each.reviewer === name)).toMatchObject({ state: "reviewed", head: report.head });
    // No commit is named, and the post is older than our first look: it satisfies nothing.
    for (const name of ["claude", "qodo", "codeant"])
      expect(report.reviewers.find((each) => each.reviewer === name)).not.toHaveProperty("head");
    const found = Object.fromEntries(report.reviewers.map((each) => [each.reviewer, each.found]));
    for (const name of ["greptile", "devin", "copilot", "coderabbit", "bugbot", "codex", "cubic", "macroscope", "seer", "pr-reviewer"])
      expect([name, found[name]]).not.toEqual([name, 0]);
    expect(report.reviewers.find((each) => each.reviewer === "coderabbit")?.hidden).toBeGreaterThan(0);
    expect(report.notes).toContainEqual(expect.stringMatching(/codecov, graphite-app, sonarqubecloud, vercel/));
  });

  it.each([1, 2, 3])("seed %i is driven to its target: asked are those who have to be, once; the rest comes by itself", async (seed) => {
    const { report, scene } = await play("everyone", seed);
    expect([report.stop, report.detail, report.remaining]).toEqual(["met", report.detail, []]);
    expect(scene.pullRequest.threads.filter((thread) => !thread.resolved)).toEqual([]);
    expect(score(scene)).toBe("5");
    const reviewed = { state: "reviewed", open: 0, here: true, asked: false };
    expect(Object.fromEntries(ALL.map((name) => [name, line(report, name)]))).toEqual({
      greptile: { ...reviewed, score: "5/5", asked: true },
      devin: reviewed,
      copilot: { ...reviewed, asked: true },
      coderabbit: reviewed,
      gemini: { ...reviewed, state: "skipped", reason: "service_ended" },
      bugbot: reviewed,
      codex: { ...reviewed, asked: true },
      claude: reviewed,
      cubic: reviewed,
      sourcery: { ...reviewed, state: "limited", reason: "quota" },
      qodo: reviewed,
      macroscope: reviewed,
      seer: { ...reviewed, state: "absent" },
      codeant: reviewed,
      ellipsis: { ...reviewed, state: "skipped", reason: "too_large" },
      "pr-reviewer": reviewed,
    });
    for (const name of ["gemini", "sourcery", "ellipsis", "seer"])
      expect(report.notes).toContainEqual(expect.stringMatching(new RegExp(`^${name} .*went on without it$`)));
    // One trigger per reviewer and head, and no other words of ours that call a bot.
    const ours = scene.pullRequest.comments.filter((comment) => comment.author === scene.author).map((comment) => comment.body);
    const calls = ours.filter((body) => /^(?:@[\w-]+ review|\/\w|bugbot run)/im.test(body.split("\n")[0] ?? ""));
    expect(calls).toHaveLength(2 * report.pushes.length);
    expect(scene.pullRequest.requests).toEqual([]);
    const bystanders = new Set(BODIES.others.filter((other) => other.notice !== undefined).map((other) => other.login));
    expect(ours.filter((body) => [...bystanders].some((login) => body.includes(`@${login}`)))).toEqual([]);
  });
});

/** Texts in quotes; imports and comments aside. */
const quoted = (folder: string): ReadonlySet<string> => {
  const at = new URL(`../../${folder}/`, import.meta.url);
  const lines = readdirSync(at)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      readFileSync(new URL(name, at), "utf8")
        .replaceAll(/\/\*[\s\S]*?\*\//g, "")
        .split("\n"),
    )
    .filter((text) => !/^\s*(?:\/\/|import\b|\} from|export [{*])/.test(text));
  return new Set(
    lines.flatMap((text) => [...text.matchAll(/"((?:\\.|[^"\\])+)"|`((?:\\.|[^`\\])+)`/g)].map((found) => found[1] ?? found[2] ?? "")),
  );
};

describe("what the scripted reviewers say", () => {
  it("stands in bodies.json alone, which the plugins don't read", () => {
    const plugins = quoted("plugins/reviewers");
    const names = new Set(ALL);
    // Names of reviewers, states and keys are words of the house; what a bot says has a blank in it, or a marker.
    const spoken = (text: string): boolean => !names.has(text) && (/\S\s+\S/.test(text) || text.includes("<!--") || text.includes("@"));
    const shared = [...quoted("sandbox/reviewers"), ...quoted("sandbox/scenes")].filter((text) => spoken(text) && plugins.has(text));
    expect(shared).toEqual([]);
    const sources = readdirSync(new URL("../../plugins/reviewers/", import.meta.url)).map((name) =>
      readFileSync(new URL(`../../plugins/reviewers/${name}`, import.meta.url), "utf8"),
    );
    expect(sources.filter((text) => /bodies\.json|sandbox/.test(text))).toEqual([]);
  });
});
