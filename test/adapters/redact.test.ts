import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets, HIDDEN, redactor, redactValue } from "../../core/redact.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** Built here, so that no scanner takes this file for a leak. */
const shaped = (prefix: string, length: number, alphabet = "aB3"): string => prefix + alphabet.repeat(length).slice(0, length);

describe("known secrets", () => {
  const secret = fc
    .string({ minLength: 6, maxLength: 60, unit: fc.constantFrom(...'abcXYZ019-_./+%&?= "\\é'.split("")) })
    .filter((text) => text.trim().length >= 6);
  const noise = fc.string({ maxLength: 20 });

  it("are hidden as they are, URL-encoded, JSON-escaped and in base64 behind any user name", () => {
    fc.assert(
      fc.property(secret, noise, noise, fc.string({ maxLength: 6 }), (token, before, after, user) => {
        const redact = redactor([token]);
        for (const form of [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)])
          expect(redact(before + form + after)).not.toContain(form);
        // Long enough that its base64 can't stand there by chance.
        if (Buffer.byteLength(token) < 12) return;
        for (const encoded of [base64(`${user}:${token}`), Buffer.from(`${user}:${token}`).toString("base64url")]) {
          const clean = redact(`Basic ${encoded}`);
          expect(clean).toContain(HIDDEN);
          const left = clean.replaceAll(HIDDEN, "").replace("Basic ", "");
          expect(Buffer.from(left, "base64").toString()).not.toContain(token.slice(3, -3));
        }
      }),
    );
  });

  it("stay hidden when redacted again, and what is hidden is not found again", () => {
    const samples = fc.constantFrom(
      shaped("ghp_", 36),
      "Authorization: Bearer abcdef",
      "https://a:bcdef@h/x",
      "https://token@h/",
      "test-token-1",
      "-----BEGIN PRIVATE KEY-----\nMIIE",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(samples, noise)), (parts) => {
        const redact = redactor(["test-token-1"]);
        const once = redact(parts.join(" "));
        expect(redact(once)).toBe(once);
        expect(findSecrets(once, ["test-token-1"])).toEqual([]);
      }),
    );
  });

  it("of a few characters are left alone, and an empty one hides nothing", () => {
    expect(redactor(["", "abc"])("abc or not abc")).toBe("abc or not abc");
  });

  it("are hidden where one is part of another", () => {
    expect(redactor(["secret-1", "secret-1-and-more"])("x secret-1-and-more y secret-1 z")).toBe(`x ${HIDDEN} y ${HIDDEN} z`);
  });
});

describe("token shapes", () => {
  it.each([
    ["GitHub token", shaped("ghp_", 36)],
    ["GitHub token", shaped("gho_", 36)],
    ["GitHub token", shaped("ghs_", 40)],
    ["GitHub token", shaped("github_pat_", 60)],
    ["GitLab token", shaped("glpat-", 20)],
    ["AWS access key", shaped("AKIA", 16, "A1B2")],
    ["npm token", shaped("npm_", 36)],
    ["Slack token", shaped("xoxb-", 24, "1a")],
    ["model provider key", shaped("sk-ant-", 40)],
    ["Stripe key", shaped("sk_live_", 24)],
    ["Google key", shaped("AIza", 35)],
    ["PyPI token", shaped("pypi-AgEI", 40)],
    ["JSON web token", `${shaped("eyJ", 20)}.${shaped("eyJ", 30)}.${shaped("", 20)}`],
  ])("%s is found and hidden", (kind, token) => {
    expect(findSecrets(`see ${token}, please`)).toEqual([{ kind, index: 4 }]);
    expect(redactor()(`see ${token}, please`)).toBe(`see ${HIDDEN}, please`);
  });

  it.each([
    ["Authorization: Bearer abc.def", `Authorization: Bearer ${HIDDEN}`],
    ['{"authorization":"token abcdef"}', `{"authorization":"token ${HIDDEN}"}`],
    ["> Authorization: Basic eDp5eHg=\r\n> Accept: */*", `> Authorization: Basic ${HIDDEN}\r\n> Accept: */*`],
    ["AUTHORIZATION=basic abcdef", `AUTHORIZATION=basic ${HIDDEN}`],
    ["clone https://user:pa55word@host/x.git", `clone https://user:${HIDDEN}@host/x.git`],
    ["clone https://sometoken@host/x.git", `clone https://${HIDDEN}@host/x.git`],
    ["postgres://u:p@db:5432/x", `postgres://u:${HIDDEN}@db:5432/x`],
    [`aws_secret_access_key = ${shaped("", 40)}`, `aws_secret_access_key = ${HIDDEN}`],
    ["//registry/:_authToken=abcdef", `//registry/:_authToken=${HIDDEN}`],
    ["a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", `a\n${HIDDEN}\nb`],
    [`cut off: -----BEGIN OPENSSH PRIVATE KEY-----\n${shaped("", 64)}\n${shaped("", 30)}`, `cut off: ${HIDDEN}`],
    ["expects '-----BEGIN PRIVATE KEY-----' at the start\nand goes on", `expects '${HIDDEN}' at the start\nand goes on`],
  ])("%j becomes %j", (text, clean) => {
    expect(redactor()(text)).toBe(clean);
    expect(findSecrets(text)).toHaveLength(1);
  });

  it.each([
    "git@github.com:owner/name.git",
    "https://github.com/owner/name/pull/7#discussion_r12",
    "ghp_short and AKIA too",
    "the Authorization header is missing",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "mail me at somebody@example.invalid",
    "npm_config_cache=/x sk-1 task-list",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
  ])("%j is no secret", (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(redactor()(text)).toBe(text);
  });

  it("are looked for in time that grows with the text only: a hostile one of a million characters is done before the test's limit", () => {
    for (const part of [
      "-----BEGIN PRIVATE KEY-----",
      "https://a:",
      "authorization: ",
      "eyJaaaaaaaaaaaa.",
      "://",
      "a".repeat(50),
      "-----BEGIN PRIVATE KEY-----\n" + "A".repeat(64),
    ])
      expect(redactor()(part.repeat(1_000_000 / part.length))).not.toBe("");
  });
});

it("every string of a value is cleaned, keys included, and the rest is as it was", () => {
  const redact = redactor(["test-token"]);
  const value = { a: ["x test-token", 1, null, true], "test-token": { deep: "test-token" }, undefined: undefined };
  expect(redactValue(redact, value)).toEqual({ a: [`x ${HIDDEN}`, 1, null, true], [HIDDEN]: { deep: HIDDEN }, undefined: undefined });
});
