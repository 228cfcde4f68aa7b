/**
 * Secrets stay in: one function hides what must not be written down, another finds what must not leave.
 * Pure; every expression runs in linear time, because the texts come from strangers and from tools.
 */

/** Hides secrets in a text. Applying it twice changes nothing more. */
export type Redact = (text: string) => string;

export const HIDDEN = "[hidden]";

interface Shape {
  readonly kind: string;
  readonly expression: RegExp;
  /** `$1` keeps what stands before the secret, `$2` what stands after it. */
  readonly replacement: string;
}

const whole = (kind: string, expression: RegExp): Shape => ({ kind, expression, replacement: HIDDEN });
const around = (kind: string, expression: RegExp): Shape => ({ kind, expression, replacement: `$1${HIDDEN}$2` });

/** Token shapes as their issuers document them. The order matters only where one shape holds another. */
const SHAPES: readonly Shape[] = [
  // A key to its end, or as much of a torn one as looks like one.
  whole(
    "private key",
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,32768}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\[nr]|\s){1,4}[A-Za-z0-9+/=]{20,})*)/g,
  ),
  around(
    "authorization header",
    /(authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:(?:basic|bearer|token|digest)[ \t]{1,4})?)[^\s"',;]{4,}()/gi,
  ),
  around("password in a URL", /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,256}:)[^\s/@"'<>]{1,512}(@)/gi),
  around("token in a URL", /(\bhttps?:\/\/)[^\s/:@"'<>]{1,512}(@)/gi),
  whole("GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9_]{16,255}|github_pat_[A-Za-z0-9_]{20,255})/g),
  whole("GitLab token", /\bglpat-[A-Za-z0-9_-]{20,255}/g),
  whole("AWS access key", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g),
  around(
    "AWS secret key",
    /((?:aws_?secret_?access_?key|secretaccesskey|aws_?session_?token)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)[A-Za-z0-9/+=]{30,2048}()/gi,
  ),
  whole("npm token", /\bnpm_[A-Za-z0-9]{36}\b/g),
  around("npm token", /(:_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}["']?)[^\s"']{4,}()/g),
  whole("Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g),
  whole("model provider key", /\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,255}/g),
  whole("Stripe key", /\b[rs]k_live_[A-Za-z0-9]{16,255}/g),
  whole("Google key", /\bAIza[A-Za-z0-9_-]{35}/g),
  whole("PyPI token", /\bpypi-AgEI[A-Za-z0-9_-]{20,512}/g),
  whole("Hugging Face token", /\bhf_[A-Za-z0-9]{30,64}\b/g),
  whole("JSON web token", /\beyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,1024}/g),
];

/** Shorter values would hide half of an ordinary text. */
const SHORTEST = 6;
/** A base64 form of fewer characters than this says too little to be recognised. */
const SHORTEST_BASE64 = 8;

/**
 * How base64 shows the secret wherever it stands in the encoded bytes (`Basic` hides it after a user name of any length):
 * once for each of the three alignments, without the characters that also depend on a neighbour.
 */
const base64Forms = (secret: string): readonly string[] =>
  [0, 1, 2].flatMap((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(secret)]);
    const encoded = bytes.toString("base64").replace(/=+$/, "");
    const from = lead === 0 ? 0 : lead + 1;
    const to = bytes.length % 3 === 0 ? encoded.length : encoded.length - 1;
    const form = encoded.slice(from, to);
    if (form.length < SHORTEST_BASE64) return [];
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });

const formsOf = (secret: string): readonly string[] => {
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    encoded,
    encoded.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(secret),
  ];
};

/** Longest first, so that no form is broken by a shorter one inside it. */
const allForms = (secrets: Iterable<string>): readonly string[] =>
  [...new Set([...secrets].filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))].sort((a, b) => b.length - a.length);

/**
 * Makes the function that hides these secrets (raw, URL-encoded, JSON-escaped, inside base64) and every well-known token shape.
 * Secrets shorter than 6 characters are not looked for.
 */
export const redactor = (secrets: Iterable<string> = []): Redact => {
  const forms = allForms(secrets);
  return (text) => {
    let clean = text;
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, HIDDEN);
    for (const shape of SHAPES) clean = clean.replace(shape.expression, shape.replacement);
    return clean;
  };
};

/** The same for every string in a JSON value, keys included. */
export const redactValue = <T>(redact: Redact, value: T): T => {
  const walk = (node: unknown): unknown => {
    if (typeof node === "string") return redact(node);
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node === "object" && node !== null)
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [redact(key), walk(child)]));
    return node;
  };
  return walk(value) as T;
};

export interface FoundSecret {
  /** What it looks like, for the reader; never the secret itself. */
  readonly kind: string;
  /** Where it starts, in UTF-16 units. */
  readonly index: number;
}

/** Every secret in a text that is about to leave, by kind and place. Empty = clean. What `redactor` has hidden is not found again. */
export const findSecrets = (text: string, secrets: Iterable<string> = []): readonly FoundSecret[] => {
  const found: FoundSecret[] = [];
  for (const form of allForms(secrets)) {
    const index = text.indexOf(form);
    if (index >= 0) found.push({ kind: "a token of this run", index });
  }
  for (const { kind, expression } of SHAPES)
    for (const match of text.matchAll(expression)) if (!match[0].includes(HIDDEN)) found.push({ kind, index: match.index });
  return found.sort((a, b) => a.index - b.index);
};
