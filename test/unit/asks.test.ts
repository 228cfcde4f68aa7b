import { describe, expect, test } from "vitest";
import { asksForSomething } from "../../core/reading/asks.js";

const nothing = [
  "",
  "  \r\n ",
  "👍",
  ":+1:",
  "🎉🎉 :rocket:",
  "LGTM",
  "Fine with me so far.",
  "No objections from my side.",
  "Works for me 👍",
  "LGTM!",
  "lgtm 👍",
  "Looks good to me.",
  "Thanks!",
  "Thank you so much for the review!",
  "Thanks, looks great!",
  "Nice work 🎉",
  "Approved",
  "Ship it :shipit:",
  "/retest",
  "/gemini review\n/lgtm",
  "@greptile-apps review",
  "@coderabbitai full review",
  "@codex review",
  "bugbot run",
  "@claude review once",
  "@dependabot rebase",
  "Done.",
  "Fixed in 1f2e3d4.",
  "Rebased on main and pushed.",
  "I'll take a look tomorrow.",
  "Working on it",
  "Running the loop now.\n\n```text\n### Issue 1 of 2\nsrc/cache.ts:41\n```\n\nWill report back.",
  "> Please rename this\n\nDone, thanks!",
  "<!-- a note -->",
  "Addressed all comments",
  "A few comments inline.",
  "Left some small nits below",
  "LGTM, a few nits inline",
  "See comments",
  "+1",
];
const something = [
  "Question: is this used?",
  "I have a question about the retry path",
  "Please split the docs change into its own PR.",
  "My own Confidence Score: 5/5 for the parser, 2/5 for the docs. Please split the docs change into its own PR.",
  "LGTM, but please rename `x`.",
  "Why is this needed?",
  "This breaks on Windows.",
  "The cache is never bounded",
  "Thanks! Could you add a test?",
  "Fixed the first one, but the second still fails.",
  "Looks good?",
  "nit: typo in the title",
  "```suggestion\nfoo\n```",
  "@dev can you check the retry path",
  "Done? I still see it.",
  "I think we should not merge this before the release.",
  "Updated the docs, please re-check the example.",
];

describe("asksForSomething", () => {
  test.each(nothing)("nothing is asked in %j", (body) => expect(asksForSomething(body)).toBe(false));
  test.each(something)("something is asked in %j", (body) => expect(asksForSomething(body)).toBe(true));
  test("CRLF reads the same", () => {
    for (const body of [...nothing, ...something]) expect(asksForSomething(body.replace(/\n/g, "\r\n"))).toBe(asksForSomething(body));
  });
});
