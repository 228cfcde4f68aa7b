/** Pure: paths that no fix may touch. `dir/**` = everything below; `*` within a name; a bare name matches at the root only. */

const escape = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);

const toRegExp = (pattern: string): RegExp => {
  const body = pattern
    .split("/")
    .map((part) => (part === "**" ? "**" : escape(part).replaceAll("*", "[^/]*")))
    .join("/")
    .replaceAll("**/", "(?:.*/)?")
    .replaceAll("/**", "(?:/.*)?")
    .replaceAll("**", ".*");
  return new RegExp(`^${body}$`, "i");
};

/** Case-insensitive, since some file systems are. */
export const matchesProtected = (path: string, patterns: readonly string[]): boolean =>
  path.split("/").some((part) => part.toLowerCase() === ".git") || patterns.some((pattern) => toRegExp(pattern).test(path));
